// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "arrays.hpp"
#include "module.hpp"
#include "python_observer.hpp"
#include "text_apps/parsing/decoder.hpp"
#include "text_apps/parsing/rows.hpp"

namespace gristmill::bindings::bind_parse {

using namespace nb::literals;
using namespace text_apps::parsing;

namespace {

using AddressParts = std::tuple<Address::Base, std::uint32_t, std::vector<Address::Step>>;
using FactParts = std::tuple<Fact::Kind, std::uint32_t, std::uint32_t>;
using ActionParts = std::tuple<Move, std::int32_t>;
using PartParts = std::tuple<std::shared_ptr<score::decision::Labeller>, std::vector<ActionParts>>;
using SplitParts = std::tuple<AddressParts, std::uint32_t>;  // address, column
using RouteParts = std::tuple<AddressParts, std::uint32_t, std::vector<std::string>, std::vector<std::uint32_t>,
                              std::uint32_t>;  // address, column, values, their parts, part of others
using MarkParts = std::tuple<std::int32_t, bool, std::int32_t, bool>;

Address address_of(const AddressParts& parts) { return {std::get<0>(parts), std::get<1>(parts), std::get<2>(parts)}; }

std::shared_ptr<ConfigurationFeatures> make_lookout(std::shared_ptr<text_apps::templates::Extractor> extractor,
                                                    const std::vector<AddressParts>& addresses,
                                                    const std::vector<FactParts>& facts) {
  std::vector<Address> places;
  for (const AddressParts& parts : addresses) places.push_back(address_of(parts));
  std::vector<Fact> own;
  for (const auto& [kind, place, other] : facts) own.push_back({kind, place, other});
  return std::make_shared<ConfigurationFeatures>(std::move(extractor), std::move(places), std::move(own));
}

ActionClassifier::Route route_of(const RouteParts& parts) {
  ActionClassifier::Route route{
      address_of(std::get<0>(parts)), std::get<1>(parts), {}, std::get<3>(parts), std::get<4>(parts)};
  for (const std::string& value : std::get<2>(parts)) route.values.intern(value);
  return route;
}

std::shared_ptr<ActionClassifier> make_chooser(const std::vector<PartParts>& parts,
                                               const std::optional<RouteParts>& route, std::int32_t relation) {
  std::vector<ActionClassifier::Part> own;
  for (const auto& [labeller, actions] : parts) {
    own.push_back({labeller, {}});
    for (const auto& [move, of_move] : actions) own.back().actions.push_back({move, of_move});
  }
  return std::make_shared<ActionClassifier>(std::move(own), route ? std::optional(route_of(*route)) : std::nullopt,
                                            relation);
}

std::optional<SplitBy> split_of(const std::optional<SplitParts>& parts) {
  if (!parts) return std::nullopt;
  return SplitBy{address_of(std::get<0>(*parts)), std::get<1>(*parts)};
}

void check_split(const std::optional<SplitParts>& split, const text::Columns& columns) {
  if (split && columns.tokens() > 0 && std::get<1>(*split) >= columns.columns()) {
    throw std::invalid_argument("words have no such column to split by");
  }
}

std::vector<ActionParts> parts_of(std::span<const Action> actions) {
  std::vector<ActionParts> parts;
  for (const Action& action : actions) parts.emplace_back(action.move, action.relation);
  return parts;
}

using Numbers = NumpyArray<std::int32_t>;
using RowParts = std::tuple<NumpyArray<Offset>, NumpyArray<FeatureId>, Numbers, Numbers, Numbers, Numbers, std::size_t>;

RowParts parts_of(ActionRows rows) {
  std::vector<std::int32_t> moves;
  std::vector<std::int32_t> relations;
  for (const Action& action : rows.actions) {
    moves.push_back(static_cast<std::int32_t>(action.move));
    relations.push_back(action.relation);
  }
  return {to_numpy(std::move(rows.offsets)),
          to_numpy(std::move(rows.ids)),
          to_numpy(std::move(moves)),
          to_numpy(std::move(relations)),
          to_numpy(std::move(rows.sentences)),
          to_numpy(std::move(rows.values)),
          rows.skipped};
}

// Trees, and where the numbers of features and values are: what both kinds of rows are made of.
struct RowsCall {
  const text::Columns& columns;
  const Array<Word>& heads;
  const Array<std::int32_t>& relations;
  const std::optional<SplitParts>& split;
  text_apps::templates::Strings& names;
  text_apps::templates::Strings& values;
};

// work(trees, split, books, observer), without the GIL.
template <class Work>
RowParts rows_by(const RowsCall& call, nb::object progress, Work work) {
  check_split(call.split, call.columns);
  PythonObserver observer(std::move(progress));
  ActionRows rows;
  {
    const nb::gil_scoped_release release;
    const Trees trees{call.columns, span_of(call.heads), span_of(call.relations)};
    rows = work(trees, split_of(call.split), RowBooks{call.names, call.values}, observer);
  }
  return parts_of(std::move(rows));
}

RowParts action_rows(System system, const ConfigurationFeatures& features, const text::Columns& columns,
                     const Array<Word>& heads, const Array<std::int32_t>& relations,
                     const std::optional<SplitParts>& split, text_apps::templates::Strings& names,
                     text_apps::templates::Strings& values, nb::object progress) {
  return rows_by({columns, heads, relations, split, names, values}, std::move(progress),
                 [&](const Trees& trees, const std::optional<SplitBy>& by, RowBooks books, Observer& observer) {
                   return rows_of_trees(system, features, trees, by, books, observer);
                 });
}

RowParts explored_rows(const ConfigurationFeatures& features, const ActionClassifier& classifier,
                       const text::Columns& columns, const Array<Word>& heads, const Array<std::int32_t>& relations,
                       const std::optional<SplitParts>& split, text_apps::templates::Strings& names,
                       text_apps::templates::Strings& values, nb::object progress) {
  return rows_by({columns, heads, relations, split, names, values}, std::move(progress),
                 [&](const Trees& trees, const std::optional<SplitBy>& by, RowBooks books, Observer& observer) {
                   return rows_of_ways(features, classifier, trees, by, books, observer);
                 });
}

ParseDecoder* make_decoder(System system, const ConfigurationFeatures& features,
                           const text_apps::templates::Strings& names, const ActionClassifier& classifier,
                           const std::vector<MarkParts>& marks, std::size_t beam, double temperature) {
  std::vector<Mark> own;
  for (const auto& [relation, lifted, head, way] : marks) own.push_back({relation, lifted, head, way});
  return new ParseDecoder(system, features, names, classifier, std::move(own), {beam, temperature});
}

std::tuple<Numbers, Numbers> decode(const ParseDecoder& decoder, const text::Columns& columns, std::size_t threads,
                                    nb::object progress) {
  PythonObserver observer(std::move(progress));
  std::vector<Word> heads(columns.tokens());
  std::vector<std::int32_t> relations(columns.tokens());
  {
    const nb::gil_scoped_release release;
    decoder.decode(columns, heads, relations, threads, observer);
  }
  return {to_numpy(std::move(heads)), to_numpy(std::move(relations))};
}

// Rows of the steps, the parts that had to decide, what these find best, and what was done; actions as move, relation.
std::tuple<NumpyArray<Offset>, NumpyArray<FeatureId>, Numbers, std::vector<ActionParts>, std::vector<ActionParts>>
trace(const ParseDecoder& decoder, const text::Columns& columns, std::size_t sentence, nb::object progress) {
  PythonObserver observer(std::move(progress));
  ParseTrace found;
  {
    const nb::gil_scoped_release release;
    found = decoder.trace(columns, sentence, observer);
  }
  return {to_numpy(std::move(found.offsets)), to_numpy(std::move(found.ids)), to_numpy(std::move(found.parts)),
          parts_of(found.choices), parts_of(found.actions)};
}

// Heads of all sentences, of words in them; from which heads words were lifted; which are on the way.
std::tuple<Numbers, Numbers, NumpyArray<std::uint8_t>> lift_all(const text::Columns& columns, const Array<Word>& heads,
                                                                nb::object progress) {
  if (heads.size() != columns.tokens()) throw std::invalid_argument("heads do not fit the words");
  PythonObserver observer(std::move(progress));
  std::vector<Word> lifted;
  std::vector<Word> from;
  std::vector<std::uint8_t> way;
  const auto lift_one = [&](std::size_t sentence) {
    const std::size_t first = columns.first_token(sentence);
    const std::span<const Word> own = span_of(heads).subspan(first, columns.first_token(sentence + 1) - first);
    if (const TreeFault fault = fault_of(own)) throw std::invalid_argument(fault.what);
    const Lifted found = lift(Tree(own, {}), observer);
    lifted.insert(lifted.end(), found.heads.begin(), found.heads.end());
    from.insert(from.end(), found.from.begin(), found.from.end());
    way.insert(way.end(), found.way.begin(), found.way.end());
  };
  {
    const nb::gil_scoped_release release;
    for (std::size_t sentence = 0; sentence < columns.size(); ++sentence) lift_one(sentence);
  }
  return {to_numpy(std::move(lifted)), to_numpy(std::move(from)), to_numpy(std::move(way))};
}

// How a tree comes about: every action that is a choice, by the oracle.
std::vector<ActionParts> actions_of(System system, const Array<Word>& heads, const Array<std::int32_t>& relations) {
  if (heads.size() != relations.size()) throw std::invalid_argument("heads and relations differ in number");
  if (const TreeFault fault = fault_of(span_of(heads))) throw std::invalid_argument(fault.what);
  const Tree tree(span_of(heads), span_of(relations));
  const Oracle oracle(system, tree);
  if (!oracle.can_reach()) throw std::invalid_argument("the system has no actions that give this tree");
  std::vector<ActionParts> actions;
  Configuration configuration;
  begin(system, configuration, tree.size());
  while (!legal_moves(system, configuration).empty()) {
    const Action action = oracle.next(configuration);
    actions.emplace_back(action.move, action.relation);
    take(system, configuration, action);
  }
  return actions;
}

// The state of a parser, for a close look.
struct Walk {
  System system;
  Configuration configuration;
};

std::vector<Move> legal_list(const Walk& walk) {
  const MoveSet legal = legal_moves(walk.system, walk.configuration);
  std::vector<Move> moves;
  for (const Move move : {Move::shift, Move::left, Move::right, Move::reduce, Move::swap}) {
    if (legal.has(move)) moves.push_back(move);
  }
  return moves;
}

void take_checked(Walk& walk, Move move, std::int32_t relation) {
  if (!legal_moves(walk.system, walk.configuration).has(move)) throw std::invalid_argument("the move is not legal");
  take(walk.system, walk.configuration, {move, has_relation(move) ? relation : no_relation});
}

void register_walk(nb::module_& m) {
  nb::class_<Walk>(m, "Walk")
      .def(nb::new_([](System system, std::size_t words) {
             auto walk = std::make_unique<Walk>(Walk{system, {}});
             begin(system, walk->configuration, words);
             return walk.release();
           }),
           "system"_a, "words"_a)
      .def_prop_ro("legal", &legal_list)
      .def("take", &take_checked, "move"_a, "relation"_a = no_relation)
      .def_prop_ro("stack",
                   [](const Walk& walk) {
                     const std::span<const Word> stack = walk.configuration.whole_stack();
                     return std::vector<Word>(stack.begin(), stack.end());
                   })
      .def_prop_ro("buffer",
                   [](const Walk& walk) {
                     std::vector<Word> words;
                     for (std::size_t i = 0; i < walk.configuration.buffer_size(); ++i) {
                       words.push_back(walk.configuration.buffer(i));
                     }
                     return words;
                   })
      .def_prop_ro("heads",
                   [](const Walk& walk) {
                     const std::span<const Word> heads = walk.configuration.heads();
                     return std::vector<Word>(heads.begin(), heads.end());
                   })
      .def(
          "word_at",
          [](const Walk& walk, const AddressParts& address) {
            return word_at(walk.configuration, address_of(address));
          },
          "address"_a)
      .def(
          "costs",
          [](const Walk& walk, const Array<Word>& heads) {
            if (walk.system != System::arc_eager || legal_list(walk).empty() ||
                heads.size() != walk.configuration.size() || fault_of(span_of(heads))) {
              throw std::invalid_argument("costs are of an arc-eager parser on its way to a tree of its words");
            }
            const std::vector<std::int32_t> none(heads.size(), no_relation);
            const auto costs = eager_costs(walk.configuration, Tree(span_of(heads), none));
            return std::vector<std::int32_t>(costs.begin(), costs.end());
          },
          "heads"_a.noconvert());
}

void register_kinds(nb::module_& m) {
  nb::enum_<System>(m, "System")
      .value("arc_standard", System::arc_standard)
      .value("arc_eager", System::arc_eager)
      .value("swap", System::swap)
      .value("head_final", System::head_final)
      .value("cascade", System::cascade);
  nb::enum_<Move>(m, "Move", nb::is_arithmetic())
      .value("shift", Move::shift)
      .value("left", Move::left)
      .value("right", Move::right)
      .value("reduce", Move::reduce)
      .value("swap", Move::swap);
  nb::enum_<Address::Base>(m, "Base").value("stack", Address::Base::stack).value("buffer", Address::Base::buffer);
  nb::enum_<Address::Step>(m, "Step")
      .value("head", Address::Step::head)
      .value("ldep", Address::Step::ldep)
      .value("rdep", Address::Step::rdep)
      .value("ldep2", Address::Step::ldep2)
      .value("rdep2", Address::Step::rdep2)
      .value("lsib", Address::Step::lsib)
      .value("rsib", Address::Step::rsib)
      .value("pred", Address::Step::pred)
      .value("succ", Address::Step::succ);
  nb::enum_<Fact::Kind>(m, "Fact")
      .value("lefts", Fact::Kind::lefts)
      .value("rights", Fact::Kind::rights)
      .value("distance", Fact::Kind::distance);
}

}  // namespace

void add_to(nb::module_& m) {
  register_kinds(m);
  register_walk(m);
  nb::class_<ConfigurationFeatures>(m, "ConfigurationFeatures")
      .def(nb::new_(&make_lookout), "extractor"_a, "addresses"_a, "facts"_a);
  nb::class_<ActionClassifier>(m, "ActionClassifier")
      .def(nb::new_(&make_chooser), "parts"_a, "route"_a.none(), "relation"_a)
      .def("__len__", &ActionClassifier::size);
  nb::class_<ParseDecoder>(m, "ParseDecoder")
      .def(nb::new_(&make_decoder), "system"_a, "features"_a, "names"_a, "classifier"_a, "marks"_a, "beam"_a = 1,
           "temperature"_a = 1.0, nb::keep_alive<0, 3>(), nb::keep_alive<0, 4>(), nb::keep_alive<0, 5>())
      .def("decode", &decode, "columns"_a, "threads"_a = 1, "progress"_a.none() = nb::none())
      .def("trace", &trace, "columns"_a, "sentence"_a, "progress"_a.none() = nb::none());
  m.def("action_rows", &action_rows, "system"_a, "features"_a, "columns"_a, "heads"_a.noconvert(),
        "relations"_a.noconvert(), "split"_a.none(), "names"_a, "values"_a, "progress"_a.none() = nb::none());
  m.def("explored_rows", &explored_rows, "features"_a, "classifier"_a, "columns"_a, "heads"_a.noconvert(),
        "relations"_a.noconvert(), "split"_a.none(), "names"_a, "values"_a, "progress"_a.none() = nb::none());
  m.def("lift_heads", &lift_all, "columns"_a, "heads"_a.noconvert(), "progress"_a.none() = nb::none());
  m.def("actions_of", &actions_of, "system"_a, "heads"_a.noconvert(), "relations"_a.noconvert());
  m.def(
      "tree_fault",
      [](const Array<Word>& heads) -> std::optional<std::tuple<Word, std::string>> {
        const TreeFault fault = fault_of(span_of(heads));
        if (!fault) return std::nullopt;
        return std::tuple(fault.word, fault.what);
      },
      "heads"_a.noconvert());
}

}  // namespace gristmill::bindings::bind_parse
