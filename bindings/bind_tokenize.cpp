// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "text_apps/tagging/known_pairs.hpp"
#include "text_apps/tagging/raw_text.hpp"
#include "text_apps/tagging/token_text.hpp"
#include "text_apps/tagging/word_cases.hpp"

namespace gristmill::bindings::bind_tokenize {

using namespace nb::literals;
using namespace text_apps::tagging;

namespace {

std::shared_ptr<RawText> make_text(const nb::bytes& text, std::size_t line) {
  return without_gil([&] { return std::make_shared<RawText>(view(text), line); });
}

text::Columns columns_of(const RawText& text, const Array<std::int64_t>& places, const WordCases* cases,
                         const text::Columns* facts, const Array<std::int32_t>& learned) {
  const auto unknown = [&](std::int64_t place) { return place < 0 || static_cast<std::size_t>(place) >= text.size(); };
  if (std::ranges::any_of(span_of(places), unknown) || (learned.size() != 0 && learned.size() != text.size()) ||
      (facts != nullptr && (facts->tokens() != text.size() || facts->columns() < 2))) {
    throw std::invalid_argument("places, endings or facts do not fit the characters");
  }
  return without_gil([&] { return text.columns(span_of(places), cases, facts, span_of(learned)); });
}

std::shared_ptr<WordCases> cases_of(const std::vector<std::string>& words) {
  auto cases = std::make_shared<WordCases>();
  for (const std::string& word : words) cases->add(word);
  return cases;
}

std::shared_ptr<KnownPairs> pairs_of(const std::vector<std::vector<std::string>>& pairs) {
  auto known = std::make_shared<KnownPairs>();
  for (std::size_t ending = 0; ending < pairs.size(); ++ending) known->add(pairs[ending], static_cast<Ending>(ending));
  return known;
}

std::vector<std::vector<std::string>> lists_of(const KnownPairs& known) {
  return {known.pairs(Ending::inside), known.pairs(Ending::token), known.pairs(Ending::sentence)};
}

NumpyArray<std::uint8_t> gaps_of(const RawText& text) {
  std::vector<std::uint8_t> gaps(text.size());
  for (std::size_t i = 0; i < gaps.size(); ++i) gaps[i] = static_cast<std::uint8_t>(text.gap(i));
  return to_numpy(std::move(gaps));
}

}  // namespace

void add_to(nb::module_& m) {
  nb::class_<WordCases>(m, "WordCases").def(nb::new_(&cases_of), "words"_a);
  nb::class_<RawText>(m, "RawText")
      .def(nb::new_(&make_text), "text"_a, "line"_a = 1)
      .def("__len__", &RawText::size)
      .def("gaps", &gaps_of)
      .def("columns", &columns_of, nb::keep_alive<0, 1>(), nb::keep_alive<0, 4>(), "places"_a.noconvert(),
           "cases"_a.none(), "facts"_a.none(), "learned"_a.noconvert())
      .def(
          "conllu",
          [](const RawText& text, const Array<std::int32_t>& endings, std::size_t number, bool begins_paragraph) {
            return to_bytes(
                without_gil([&] { return token_conllu(text, span_of(endings), number, begins_paragraph); }));
          },
          "endings"_a.noconvert(), "number"_a = 1, "begins_paragraph"_a = true)
      .def(
          "spans",
          [](const RawText& text, const Array<std::int32_t>& endings) {
            return to_numpy(token_spans(text, span_of(endings)));
          },
          "endings"_a.noconvert());
  nb::class_<KnownPairs>(m, "KnownPairs")
      .def(nb::new_(&pairs_of), "pairs"_a)
      .def_static(
          "learn",
          [](const RawText& text, const Array<std::int32_t>& endings, std::size_t least) {
            return without_gil([&] { return KnownPairs::learn(text, span_of(endings), least); });
          },
          "text"_a, "endings"_a.noconvert(), "least"_a)
      .def("pairs", &lists_of)
      .def(
          "endings",
          [](const KnownPairs& known, const RawText& text) {
            return to_numpy(without_gil([&] { return known.endings(text); }));
          },
          "text"_a);
}

}  // namespace gristmill::bindings::bind_tokenize
