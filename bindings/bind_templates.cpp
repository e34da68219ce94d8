// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "module.hpp"
#include "text_apps/templates/extractor.hpp"
#include "text_apps/templates/view.hpp"

namespace gristmill::bindings::bind_templates {

using namespace nb::literals;
using namespace text_apps::templates;

namespace {

std::shared_ptr<Extractor> make_extractor(std::uint32_t places, std::uint32_t reach, std::vector<Sight> sights,
                                          std::vector<TemplateItem> items, Outside outside,
                                          std::vector<std::string> labels, std::uint32_t facts, bool silent) {
  return std::make_shared<Extractor>(
      Templates{places, facts, reach, std::move(sights), std::move(items), std::move(outside), silent},
      std::move(labels));
}

std::vector<std::string> list_of(const Strings& strings) {
  std::vector<std::string> list;
  for (Strings::Id id = 0; id < strings.size(); ++id) list.emplace_back(strings[id].data(), strings[id].size());
  return list;
}

Strings* make_strings(const std::vector<std::string>& words) {
  auto made = std::make_unique<Strings>();
  for (const std::string& word : words) {
    const std::size_t before = made->size();
    made->intern(word);
    if (made->size() == before) throw std::invalid_argument("two strings are the same: " + word);
  }
  return made.release();
}

std::vector<std::string> seen(View::Kind kind, std::uint32_t size, bool lower, const std::string& cell) {
  std::vector<std::string> values;
  ViewBuffers buffers;
  see({kind, size, lower}, cell, buffers, [&](std::string_view value) { values.emplace_back(value); });
  return values;
}

void register_templates(nb::module_& m) {
  nb::class_<Sight>(m, "Sight")
      .def(
          "__init__",
          [](Sight* self, std::uint32_t column, View::Kind view, std::uint32_t size, bool lower) {
            new (self) Sight{column, {view, size, lower}};
          },
          "column"_a, "view"_a, "size"_a, "lower"_a);
  nb::class_<Piece>(m, "TemplatePiece")
      .def_static(
          "of_cell",
          [](std::string before, std::uint32_t place, std::uint32_t sight) {
            return Piece{std::move(before), place, sight};
          },
          "before"_a, "place"_a, "sight"_a)
      .def_static(
          "of_label",
          [](std::string before, std::uint32_t place) { return Piece{std::move(before), place, Piece::label}; },
          "before"_a, "place"_a)
      .def_static(
          "of_fact", [](std::string before, std::uint32_t fact) { return Piece{std::move(before), fact, Piece::fact}; },
          "before"_a, "fact"_a);
  nb::class_<TemplateItem>(m, "TemplateItem")
      .def(
          "__init__",
          [](TemplateItem* self, std::vector<Piece> pieces, std::string after) {
            new (self) TemplateItem{std::move(pieces), std::move(after)};
          },
          "pieces"_a, "after"_a = "");
  nb::class_<Outside>(m, "Outside")
      .def(
          "__init__",
          [](Outside* self, std::string left_before, std::string left_after, std::string right_before,
             std::string right_after) {
            new (self)
                Outside{std::move(left_before), std::move(left_after), std::move(right_before), std::move(right_after)};
          },
          "left_before"_a = "", "left_after"_a = "", "right_before"_a = "", "right_after"_a = "");
}

}  // namespace

void add_to(nb::module_& m) {
  register_templates(m);
  nb::enum_<View::Kind>(m, "View")
      .value("whole", View::Kind::whole)
      .value("prefix", View::Kind::prefix)
      .value("suffix", View::Kind::suffix)
      .value("shape", View::Kind::shape)
      .value("brief", View::Kind::brief)
      .value("type", View::Kind::type)
      .value("grams", View::Kind::grams)
      .value("pieces", View::Kind::pieces)
      .value("parts", View::Kind::parts);
  m.def("see", &seen, "view"_a, "size"_a, "lower"_a, "cell"_a);
  nb::class_<Strings>(m, "Strings")
      .def(nb::new_(&make_strings), "words"_a)
      .def("__len__", &Strings::size)
      .def_prop_ro("nbytes", &Strings::nbytes)
      .def("words", &list_of);
  nb::class_<Extractor>(m, "Extractor")
      .def(nb::new_(&make_extractor), "places"_a, "reach"_a, "sights"_a, "items"_a, "outside"_a, "labels"_a,
           "facts"_a = 0, "silent"_a = false)
      .def_prop_ro("columns", &Extractor::columns)
      .def_prop_ro("uses_labels", &Extractor::uses_labels);
}

}  // namespace gristmill::bindings::bind_templates
