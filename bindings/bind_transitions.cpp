// SPDX-License-Identifier: BSD-3-Clause
// Transition systems: their actions, words by their place in a configuration, a walk from one to the next.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bind_parse.hpp"
#include "call.hpp"
#include "module.hpp"
#include "text/columns.hpp"
#include "text_apps/parsing/configuration_features.hpp"
#include "text_apps/parsing/oracle.hpp"
#include "text_apps/parsing/pseudo_projective.hpp"

namespace gristmill::bindings::bind_transitions {

using namespace nb::literals;
using namespace text_apps::parsing;

namespace {

using Numbers = NumpyArray<std::int32_t>;

// Heads of all sentences, of words in them; from which heads words were lifted; which are on the way.
std::tuple<Numbers, Numbers, NumpyArray<std::uint8_t>> lift_all(const text::Columns& columns, const Array<Word>& heads,
                                                                nb::object progress) {
  if (heads.size() != columns.tokens()) throw std::invalid_argument("heads do not fit the words");
  Lifted all;
  const auto lift_one = [&](std::size_t sentence, Observer& observer) {
    const std::size_t first = columns.first_token(sentence);
    const std::span<const Word> own = span_of(heads).subspan(first, columns.first_token(sentence + 1) - first);
    if (const TreeFault fault = fault_of(own)) throw std::invalid_argument(fault.what);
    const Lifted found = lift(Tree(own, {}), observer);
    all.heads.insert(all.heads.end(), found.heads.begin(), found.heads.end());
    all.from.insert(all.from.end(), found.from.begin(), found.from.end());
    all.way.insert(all.way.end(), found.way.begin(), found.way.end());
  };
  watched(std::move(progress), [&](Observer& observer) {
    for (std::size_t sentence = 0; sentence < columns.size(); ++sentence) lift_one(sentence, observer);
  });
  return {to_numpy(std::move(all.heads)), to_numpy(std::move(all.from)), to_numpy(std::move(all.way))};
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
          "word_at", [](const Walk& walk, const Address& address) { return word_at(walk.configuration, address); },
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
  nb::class_<Address>(m, "Address")
      .def(
          "__init__",
          [](Address* self, Address::Base base, std::uint32_t depth, std::vector<Address::Step> steps) {
            new (self) Address{base, depth, std::move(steps)};
          },
          "base"_a, "depth"_a, "steps"_a);
}

}  // namespace

void add_to(nb::module_& m) {
  register_kinds(m);
  register_walk(m);
  m.def("lift_heads", &lift_all, "columns"_a, "heads"_a.noconvert(), progress_arg());
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

}  // namespace gristmill::bindings::bind_transitions
