// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "module.hpp"
#include "text_apps/templates/extractor.hpp"
#include "text_apps/templates/view.hpp"

namespace gristmill::bindings::bind_templates {

using namespace nb::literals;
using namespace text_apps::templates;

namespace {

using SightParts = std::tuple<std::uint32_t, View::Kind, std::uint32_t, bool>;  // column, view, its size, lower case
using PieceParts = std::tuple<std::string, std::uint32_t, std::int32_t>;  // text before, place, sight or one of these
using ItemParts = std::tuple<std::vector<PieceParts>, std::string>;       // pieces, text after
constexpr std::int32_t label_sight = -1;
constexpr std::int32_t fact_sight = -2;
using OutsideParts = std::tuple<std::string, std::string, std::string, std::string>;

std::uint32_t sight_of(std::int32_t number) {
  return number == label_sight ? Piece::label : number == fact_sight ? Piece::fact : static_cast<std::uint32_t>(number);
}

Item item_of(const ItemParts& parts) {
  Item item{{}, std::get<1>(parts)};
  for (const auto& [before, place, sight] : std::get<0>(parts)) {
    item.pieces.push_back({before, place, sight_of(sight)});
  }
  return item;
}

std::shared_ptr<Extractor> make_extractor(std::uint32_t places, std::uint32_t reach,
                                          const std::vector<SightParts>& sights, const std::vector<ItemParts>& items,
                                          const OutsideParts& outside, std::vector<std::string> labels,
                                          std::uint32_t facts, bool silent) {
  Templates templates{.places = places, .facts = facts, .reach = reach, .sights = {}, .items = {}, .outside = {}};
  templates.silent = silent;
  for (const auto& [column, kind, size, lower] : sights) templates.sights.push_back({column, {kind, size, lower}});
  for (const ItemParts& parts : items) templates.items.push_back(item_of(parts));
  std::tie(templates.outside.left_before, templates.outside.left_after, templates.outside.right_before,
           templates.outside.right_after) = outside;
  return std::make_shared<Extractor>(std::move(templates), std::move(labels));
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

}  // namespace

void add_to(nb::module_& m) {
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
