// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "text/double_array.hpp"
#include "text/yamcha_model.hpp"
#include "text/yamcha_text.hpp"

namespace gristmill::bindings::bind_yamcha {

using namespace nb::literals;
using namespace text;

namespace {

YamchaModel parse_compiled(const nb::bytes& bytes) {
  return without_gil([&] { return parse_yamcha_model(view(bytes)); });
}

YamchaModel parse_text(const nb::bytes& text) {
  return watched(nb::none(), [&](Observer& observer) { return parse_yamcha_text(view(text), observer); });
}

// (positive class, negative class, threshold)
std::vector<std::tuple<std::uint32_t, std::uint32_t, double>> classifiers_of(const YamchaModel& model) {
  std::vector<std::tuple<std::uint32_t, std::uint32_t, double>> list;
  for (const auto& [positive, negative, threshold] : model.classifiers)
    list.emplace_back(positive, negative, threshold);
  return list;
}

nb::bytes build_from(const std::vector<nb::bytes>& keys, const std::vector<std::uint32_t>& values) {
  std::vector<std::string> texts;
  for (const nb::bytes& key : keys) texts.emplace_back(view(key));
  return to_bytes(build_double_array(texts, values));
}

std::vector<std::tuple<nb::bytes, std::uint32_t>> keys_of(const nb::bytes& units, std::size_t longest) {
  std::vector<std::tuple<nb::bytes, std::uint32_t>> list;
  for_each_key({view(units), 0}, longest,
               [&](std::string_view key, std::uint32_t value) { list.emplace_back(to_bytes(key), value); });
  return list;
}

}  // namespace

void add_to(nb::module_& m) {
  nb::enum_<YamchaModel::Solver>(m, "YamchaSolver")
      .value("text", YamchaModel::Solver::text)
      .value("pki", YamchaModel::Solver::pki)
      .value("pke", YamchaModel::Solver::pke);
  nb::class_<YamchaModel>(m, "YamchaModel")
      .def_prop_ro("version", [](const YamchaModel& model) { return to_bytes(model.version); })
      .def_ro("solver", &YamchaModel::solver)
      .def_ro("one_vs_rest", &YamchaModel::one_vs_rest)
      .def_ro("degree", &YamchaModel::degree)
      .def_ro("g", &YamchaModel::g)
      .def_ro("r", &YamchaModel::r)
      .def_ro("s", &YamchaModel::s)
      .def_prop_ro("parameters", [](const YamchaModel& model) { return to_bytes(model.parameters); })
      .def_prop_ro("classes", [](const YamchaModel& model) { return to_bytes(model.classes); })
      .def_prop_ro("classifiers", &classifiers_of, "[(positive class, negative class, threshold)]")
      .def_prop_ro("features", [](const YamchaModel& model) { return to_bytes(model.features); })
      .def_prop_ro("offsets", array_in(&YamchaModel::offsets), nb::rv_policy::automatic)
      .def_prop_ro("ids", array_in(&YamchaModel::ids), nb::rv_policy::automatic)
      .def_prop_ro("weight_rows", array_in(&YamchaModel::weight_rows), nb::rv_policy::automatic)
      .def_prop_ro("weight_classifiers", array_in(&YamchaModel::weight_classifiers), nb::rv_policy::automatic)
      .def_prop_ro("weights", array_in(&YamchaModel::weights), nb::rv_policy::automatic);
  m.def("parse_yamcha_model", &parse_compiled, "bytes"_a);
  m.def("parse_yamcha_text", &parse_text, "text"_a);
  m.def("build_double_array", &build_from, "keys"_a, "values"_a, "keys: ascending by their bytes");
  m.def("double_array_keys", &keys_of, "units"_a, "longest"_a, "[(key, value)], in the order of the bytes");
}

}  // namespace gristmill::bindings::bind_yamcha
