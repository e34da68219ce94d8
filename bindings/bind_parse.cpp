// SPDX-License-Identifier: BSD-3-Clause
// Parsing: what is seen of a configuration, what classifies it, the decoder, and rows to learn from.
#include "bind_parse.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "text_apps/parsing/decoder.hpp"
#include "text_apps/parsing/rows.hpp"

namespace gristmill::bindings::bind_parse {

using namespace nb::literals;
using namespace text_apps::parsing;

namespace {

using MarkParts = std::tuple<std::int32_t, bool, std::int32_t, bool>;

void make_part(ActionClassifier::Part* self, std::shared_ptr<score::decision::Labeller> labeller,
               const std::vector<ActionParts>& actions) {
  new (self) ActionClassifier::Part{std::move(labeller), {}};
  for (const auto& [move, relation] : actions) self->actions.push_back({move, relation});
}

void make_route(ActionClassifier::Route* self, const SplitBy& split, const std::vector<std::string>& values,
                std::vector<std::uint32_t> parts, std::uint32_t other) {
  new (self) ActionClassifier::Route{split.address, split.column, {}, std::move(parts), other};
  for (const std::string& value : values) self->values.intern(value);
}

template <class T>
std::optional<T> optional(const T* value) {
  return value == nullptr ? std::nullopt : std::optional(*value);
}

void check_split(const SplitBy* split, const text::Columns& columns) {
  if (split != nullptr && columns.tokens() > 0 && split->column >= columns.columns()) {
    throw std::invalid_argument("words have no such column to split by");
  }
}

using Numbers = NumpyArray<std::int32_t>;
using RowParts = std::tuple<NumpyArray<Offset>, NumpyArray<FeatureId>, Numbers, Numbers, Numbers, Numbers, std::size_t>;

RowParts arrays_of(ActionRows rows) {
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
  const SplitBy* split;
  text_apps::templates::Strings& names;
  text_apps::templates::Strings& values;
};

// work(trees, split, strings, observer), without the GIL.
template <class Work>
RowParts rows_by(const RowsCall& call, nb::object progress, Work work) {
  check_split(call.split, call.columns);
  return arrays_of(watched(std::move(progress), [&](Observer& observer) {
    const Trees trees{call.columns, span_of(call.heads), span_of(call.relations)};
    return work(trees, optional(call.split), RowStrings{call.names, call.values}, observer);
  }));
}

RowParts action_rows(System system, const ConfigurationFeatures& features, const text::Columns& columns,
                     const Array<Word>& heads, const Array<std::int32_t>& relations, const SplitBy* split,
                     text_apps::templates::Strings& names, text_apps::templates::Strings& values, nb::object progress) {
  return rows_by({columns, heads, relations, split, names, values}, std::move(progress),
                 [&](const Trees& trees, const std::optional<SplitBy>& by, RowStrings strings, Observer& observer) {
                   return rows_of_trees(system, features, trees, by, strings, observer);
                 });
}

RowParts explored_rows(const ConfigurationFeatures& features, const ActionClassifier& classifier,
                       const text::Columns& columns, const Array<Word>& heads, const Array<std::int32_t>& relations,
                       const SplitBy* split, text_apps::templates::Strings& names,
                       text_apps::templates::Strings& values, nb::object progress) {
  return rows_by({columns, heads, relations, split, names, values}, std::move(progress),
                 [&](const Trees& trees, const std::optional<SplitBy>& by, RowStrings strings, Observer& observer) {
                   return rows_of_ways(features, classifier, trees, by, strings, observer);
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
  std::vector<Word> heads(columns.tokens());
  std::vector<std::int32_t> relations(columns.tokens());
  watched(std::move(progress),
          [&](Observer& observer) { decoder.decode(columns, heads, relations, threads, observer); });
  return {to_numpy(std::move(heads)), to_numpy(std::move(relations))};
}

// Rows of the steps, the parts that had to decide, what these find best, and what was done; actions as move, relation.
std::tuple<NumpyArray<Offset>, NumpyArray<FeatureId>, Numbers, std::vector<ActionParts>, std::vector<ActionParts>>
trace(const ParseDecoder& decoder, const text::Columns& columns, std::size_t sentence, nb::object progress) {
  ParseTrace found =
      watched(std::move(progress), [&](Observer& observer) { return decoder.trace(columns, sentence, observer); });
  return {to_numpy(std::move(found.offsets)), to_numpy(std::move(found.ids)), to_numpy(std::move(found.parts)),
          parts_of(found.choices), parts_of(found.actions)};
}

void register_features(nb::module_& m) {
  nb::enum_<Fact::Kind>(m, "FactKind")
      .value("lefts", Fact::Kind::lefts)
      .value("rights", Fact::Kind::rights)
      .value("distance", Fact::Kind::distance);
  nb::class_<Fact>(m, "Fact").def(
      "__init__",
      [](Fact* self, Fact::Kind kind, std::uint32_t place, std::uint32_t other) {
        new (self) Fact{kind, place, other};
      },
      "kind"_a, "place"_a, "other"_a);
  nb::class_<ConfigurationFeatures>(m, "ConfigurationFeatures")
      .def(nb::new_([](std::shared_ptr<text_apps::templates::Extractor> extractor, std::vector<Address> addresses,
                       std::vector<Fact> facts) {
             return std::make_shared<ConfigurationFeatures>(std::move(extractor), std::move(addresses),
                                                            std::move(facts));
           }),
           "extractor"_a, "addresses"_a, "facts"_a);
}

void register_classifier(nb::module_& m) {
  nb::class_<SplitBy>(m, "SplitBy")
      .def(
          "__init__",
          [](SplitBy* self, Address address, std::uint32_t column) { new (self) SplitBy{std::move(address), column}; },
          "address"_a, "column"_a);
  nb::class_<ActionClassifier::Part>(m, "ClassifierPart").def("__init__", &make_part, "labeller"_a, "actions"_a);
  nb::class_<ActionClassifier::Route>(m, "ClassifierRoute")
      .def("__init__", &make_route, "split"_a, "values"_a, "parts"_a, "other"_a);
  nb::class_<ActionClassifier>(m, "ActionClassifier")
      .def(nb::new_([](std::vector<ActionClassifier::Part> parts, const ActionClassifier::Route* route,
                       std::int32_t relation) {
             return std::make_shared<ActionClassifier>(std::move(parts), optional(route), relation);
           }),
           "parts"_a, "route"_a.none(), "relation"_a)
      .def("__len__", &ActionClassifier::size);
}

}  // namespace

void add_to(nb::module_& m) {
  register_features(m);
  register_classifier(m);
  nb::class_<ParseDecoder>(m, "ParseDecoder")
      .def(nb::new_(&make_decoder), "system"_a, "features"_a, "names"_a, "classifier"_a, "marks"_a, "beam"_a = 1,
           "temperature"_a = 1.0, nb::keep_alive<0, 3>(), nb::keep_alive<0, 4>(), nb::keep_alive<0, 5>())
      .def("decode", &decode, "columns"_a, "threads"_a = 1, progress_arg())
      .def("trace", &trace, "columns"_a, "sentence"_a, progress_arg());
  m.def("action_rows", &action_rows, "system"_a, "features"_a, "columns"_a, "heads"_a.noconvert(),
        "relations"_a.noconvert(), "split"_a.none(), "names"_a, "values"_a, progress_arg());
  m.def("explored_rows", &explored_rows, "features"_a, "classifier"_a, "columns"_a, "heads"_a.noconvert(),
        "relations"_a.noconvert(), "split"_a.none(), "names"_a, "values"_a, progress_arg());
}

}  // namespace gristmill::bindings::bind_parse
