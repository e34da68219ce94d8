// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "text_apps/parsing/conllu.hpp"
#include "text_apps/templates/memo.hpp"

namespace gristmill::bindings::bind_conllu {

using namespace nb::literals;
using namespace text_apps::parsing;

namespace {

using FillingParts = std::tuple<Array<std::int32_t>, std::vector<std::string>>;  // numbers of words, the words

NumpyArray<std::int32_t> relation_numbers(const Conllu& text, text_apps::templates::Strings& words) {
  std::vector<std::int32_t> numbers;
  for (const std::string_view relation : text.relations()) {
    numbers.push_back(static_cast<std::int32_t>(words.intern(relation)));
  }
  return to_numpy(std::move(numbers));
}

Conllu::Filling filling_of(const FillingParts& parts, std::size_t tokens) {
  const auto& numbers = std::get<0>(parts);
  const auto& words = std::get<1>(parts);
  const auto unknown = [&](std::int32_t number) {
    return number < 0 || static_cast<std::size_t>(number) >= words.size();
  };
  if (numbers.size() != tokens || std::ranges::any_of(span_of(numbers), unknown)) {
    throw std::invalid_argument("what is filled in does not fit the words");
  }
  return {span_of(numbers), words};
}

nb::bytes fill(const Conllu& text, const std::optional<Array<Word>>& heads,
               const std::optional<FillingParts>& relations, const std::optional<FillingParts>& lemma,
               const std::optional<FillingParts>& upos, const std::optional<FillingParts>& xpos,
               const std::optional<FillingParts>& feats) {
  const std::size_t tokens = text.columns().tokens();
  Conllu::Filled filled;
  if (heads.has_value() != relations.has_value() || (heads && heads->size() != tokens)) {
    throw std::invalid_argument("words have heads and relations, or neither");
  }
  if (heads) {
    filled.heads = span_of(*heads);
    filled.relations = filling_of(*relations, tokens);
  }
  if (lemma) filled.lemma = filling_of(*lemma, tokens);
  if (upos) filled.upos = filling_of(*upos, tokens);
  if (xpos) filled.xpos = filling_of(*xpos, tokens);
  if (feats) filled.feats = filling_of(*feats, tokens);
  return to_bytes(without_gil([&] { return text.filled(filled); }));
}

}  // namespace

void add_to(nb::module_& m) {
  nb::class_<Conllu>(m, "Conllu")
      .def_static(
          "parse",
          [](const nb::bytes& text, std::size_t line) {
            return without_gil([&] { return Conllu::parse(view(text), line); });
          },
          "text"_a, "line"_a = 1)
      .def_prop_ro("columns", &Conllu::columns, nb::rv_policy::reference_internal)
      .def_prop_ro("lines", &Conllu::lines)
      .def("heads", [](const Conllu& text) { return to_numpy(text.heads()); })
      .def("relations", &relation_numbers, "words"_a)
      .def("filled", &fill, "heads"_a.none() = nb::none(), "relations"_a.none() = nb::none(),
           "lemma"_a.none() = nb::none(), "upos"_a.none() = nb::none(), "xpos"_a.none() = nb::none(),
           "feats"_a.none() = nb::none());
}

}  // namespace gristmill::bindings::bind_conllu
