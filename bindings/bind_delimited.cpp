// SPDX-License-Identifier: BSD-3-Clause
// Tables as text: cells are found once, columns are read when asked for.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "text/delimited.hpp"

namespace gristmill::bindings::bind_delimited {

using namespace nb::literals;
using text::DelimitedText;

namespace {

void make(DelimitedText* self, const nb::bytes& text, char separator, std::vector<std::string> missing,
          nb::object progress) {
  const std::string_view content = view(text);
  watched(std::move(progress), [&](Observer& observer) {
    return new (self) DelimitedText(content, separator, std::move(missing), observer);
  });
}

void check_column(const DelimitedText& table, std::size_t column) {
  if (column >= table.names().size()) throw std::invalid_argument("there is no such column");
}

NumpyArray<double> numbers(const DelimitedText& table, std::size_t column) {
  check_column(table, column);
  return to_numpy(without_gil([&] { return table.numbers(column); }));
}

std::pair<NumpyArray<std::int32_t>, std::vector<std::string>> words(const DelimitedText& table, std::size_t column) {
  check_column(table, column);
  DelimitedText::Words found = without_gil([&] { return table.words(column); });
  return {to_numpy(std::move(found.codes)), std::move(found.texts)};
}

std::pair<std::size_t, std::size_t> place(const DelimitedText& table, std::size_t row, std::size_t column) {
  check_column(table, column);
  if (row >= table.rows()) throw std::invalid_argument("there is no such row");
  return table.place(row, column);
}

}  // namespace

void add_to(nb::module_& m) {
  nb::class_<DelimitedText>(m, "DelimitedText")
      .def("__init__", &make, "text"_a, "separator"_a, "missing"_a, progress_arg(), nb::keep_alive<1, 2>())
      .def_prop_ro("names", &DelimitedText::names)
      .def_prop_ro("rows", &DelimitedText::rows)
      .def("numbers", &numbers, "column"_a)
      .def("words", &words, "column"_a)
      .def("place", &place, "row"_a, "column"_a);
  m.def("likely_separator", [](const nb::bytes& text) { return text::likely_separator(view(text)); }, "text"_a);
}

}  // namespace gristmill::bindings::bind_delimited
