// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "score/decision/labeller.hpp"
#include "text/columns.hpp"
#include "text_apps/tagging/decoder.hpp"
#include "text_apps/tagging/rows.hpp"
#include "text_apps/tagging/tag_rules.hpp"

namespace gristmill::bindings::bind_tag {

using namespace nb::literals;
using namespace text_apps::tagging;

namespace {

std::vector<std::string> column_of(const text::Columns& columns, std::size_t column) {
  if (column >= columns.columns()) throw std::invalid_argument("there is no such column");
  std::vector<std::string> cells;
  for (std::size_t token = 0; token < columns.tokens(); ++token) cells.emplace_back(columns.cell(token, column));
  return cells;
}

text::Columns picked_columns(const text::Columns& columns, const std::vector<std::size_t>& chosen) {
  for (const std::size_t column : chosen) {
    if (column >= columns.columns()) throw std::invalid_argument("there is no such column");
  }
  return columns.picked(chosen);
}

// The cells of a column as numbers of words, new ones added to them.
NumpyArray<std::int32_t> numbers_of(const text::Columns& columns, std::size_t column,
                                    text_apps::templates::Strings& words) {
  if (column >= columns.columns()) throw std::invalid_argument("there is no such column");
  std::vector<std::int32_t> numbers(columns.tokens());
  for (std::size_t token = 0; token < numbers.size(); ++token) {
    numbers[token] = static_cast<std::int32_t>(words.intern(columns.cell(token, column)));
  }
  return to_numpy(std::move(numbers));
}

NumpyArray<Offset> starts_of(const text::Columns& columns) { return copied<Offset>(columns.starts()); }

nb::bytes with_column(const text::Columns& columns, const Array<std::int32_t>& numbers,
                      const std::vector<std::string>& words, bool replace) {
  for (const std::int32_t number : span_of(numbers)) {
    if (number < 0 || static_cast<std::size_t>(number) >= words.size()) {
      throw std::invalid_argument("a number has no word");
    }
  }
  return to_bytes(without_gil([&] { return columns.with_column(span_of(numbers), words, replace); }));
}

void check_rows(std::span<const Offset> offsets, std::size_t ids) {
  if (offsets.empty() || offsets.front() != 0 || !std::ranges::is_sorted(offsets) ||
      static_cast<std::size_t>(offsets.back()) != ids) {
    throw std::invalid_argument("offsets do not fit the ids");
  }
}

using RowParts = std::tuple<NumpyArray<Offset>, NumpyArray<FeatureId>>;

RowParts extract(const Window& window, const text::Columns& columns, const Array<std::int32_t>& labels,
                 text_apps::templates::Strings& names, bool grow, bool backward, nb::object progress) {
  TokenRows rows = watched(std::move(progress), [&](Observer& observer) {
    return rows_of_tokens(window, columns, span_of(labels), names, grow, backward, observer);
  });
  return {to_numpy(std::move(rows.offsets)), to_numpy(std::move(rows.ids))};
}

NumpyArray<std::int32_t> decode(const Decoder& decoder, const text::Columns& columns, std::size_t threads,
                                nb::object progress) {
  std::vector<std::int32_t> classes(columns.tokens());
  watched(std::move(progress), [&](Observer& observer) { decoder.decode(columns, classes, threads, observer); });
  return to_numpy(std::move(classes));
}

template <class Scorer>
std::shared_ptr<score::decision::Labeller> make_labeller(std::shared_ptr<Scorer> scorer,
                                                         std::shared_ptr<score::DirectScorer> direct,
                                                         const score::DecisionPolicy& policy, bool certain,
                                                         bool complete, const Array<double>& doubt) {
  if (!policy.fits(direct->outputs())) throw std::invalid_argument("the outputs do not fit the decision policy");
  return std::make_shared<score::decision::Labeller>(
      score::decision::Labeller::AnyScorer(std::shared_ptr<const Scorer>(std::move(scorer))), std::move(direct),
      score::decision::LabellerOptions{policy, certain, complete, copy_of(doubt)});
}

template <class Scorer>
void bind_labeller(nb::class_<score::decision::Labeller>& labeller) {
  labeller.def(nb::new_(&make_labeller<Scorer>), "scorer"_a, "direct"_a, "policy"_a, "certain"_a, "complete"_a,
               "doubt"_a.noconvert());
}

void register_columns(nb::module_& m) {
  nb::class_<text::Columns>(m, "Columns")
      .def_static(
          "parse",
          [](const nb::bytes& text, std::size_t line, std::size_t columns, bool tabs) {
            return without_gil([&] { return text::Columns::parse(view(text), {line, columns, tabs}); });
          },
          "text"_a, "line"_a = 1, "columns"_a = 0, "tabs"_a = false)
      .def_static(
          "of_cells",
          [](const std::vector<std::string>& cells, std::size_t columns, const Array<std::int64_t>& lengths) {
            return text::Columns::of_cells(cells, columns, span_of(lengths));
          },
          "cells"_a, "columns"_a, "lengths"_a.noconvert())
      .def("picked", &picked_columns, "columns"_a, nb::keep_alive<0, 1>())
      .def("__len__", &text::Columns::size)
      .def_prop_ro("tokens", &text::Columns::tokens)
      .def_prop_ro("columns", &text::Columns::columns)
      .def_prop_ro("lines", &text::Columns::lines)
      .def("starts", &starts_of)
      .def("column", &column_of, "column"_a)
      .def("numbers", &numbers_of, "column"_a, "words"_a)
      .def("with_column", &with_column, "numbers"_a.noconvert(), "words"_a, "replace"_a = false);
  m.def(
      "complete_sentences", [](const nb::bytes& text, bool tabs) { return text::complete_sentences(view(text), tabs); },
      "text"_a, "tabs"_a = false);
}

}  // namespace

void add_to(nb::module_& m) {
  register_columns(m);
  auto labeller = nb::class_<score::decision::Labeller>(m, "Labeller");
  bind_labeller<score::DirectScorer>(labeller);
  bind_labeller<score::InvertedScorer>(labeller);
  bind_labeller<score::BitsScorer>(labeller);
  bind_labeller<score::expanded::ExpandedScorer>(labeller);
  labeller.def(
      "decide",
      [](const score::decision::Labeller& self, const Array<Offset>& offsets, const Array<FeatureId>& ids) {
        check_rows(span_of(offsets), ids.size());
        std::vector<std::int32_t> classes(offsets.size() - 1);
        without_gil([&] {
          score::decision::Labeller::Scratch scratch = self.make_scratch();
          self.decide(rows_of(offsets, ids), classes, scratch);
        });
        return to_numpy(std::move(classes));
      },
      "offsets"_a.noconvert(), "ids"_a.noconvert());
  nb::class_<Window>(m, "Window")
      .def(
          nb::new_([](std::shared_ptr<text_apps::templates::Extractor> extractor, std::vector<std::int64_t> distances) {
            return std::make_shared<Window>(std::move(extractor), std::move(distances));
          }),
          "extractor"_a, "distances"_a);
  m.def("extract_rows", &extract, "window"_a, "columns"_a, "labels"_a.noconvert(), "names"_a, "grow"_a, "backward"_a,
        progress_arg());
  nb::class_<Decoder>(m, "Decoder")
      .def(nb::init<const Window&, const text_apps::templates::Strings&, const score::decision::Labeller&, bool,
                    const TagRules*>(),
           "window"_a, "names"_a, "labeller"_a, "backward"_a = false, "rules"_a.none() = nb::none(),
           nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(), nb::keep_alive<1, 6>())
      .def("decode", &decode, "columns"_a, "threads"_a = 1, progress_arg());
}

}  // namespace gristmill::bindings::bind_tag
