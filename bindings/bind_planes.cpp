// SPDX-License-Identifier: BSD-3-Clause
#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "solve/cutting_plane/plane_qp.hpp"

namespace gristmill::bindings::bind_planes {

using namespace nb::literals;
using namespace solve::cutting_plane;

namespace {

NumpyArray<double> column(const PlaneQp& self, std::size_t plane) {
  if (plane >= self.size()) throw nb::index_error("no such plane");
  return copied(self.column(plane));
}

}  // namespace

void add_to(nb::module_& m) {
  nb::class_<PlaneQp>(m, "PlaneQp")
      .def(nb::init<double, bool>(), "total"_a, "balanced"_a)
      .def(
          "add",
          [](PlaneQp& self, const Array<double>& column, double h, double e) { self.add(span_of(column), h, e); },
          "column"_a.noconvert(), "h"_a, "e"_a)
      .def(
          "keep", [](PlaneQp& self, const Array<std::uint32_t>& planes) { self.keep(span_of(planes)); },
          "planes"_a.noconvert())
      .def("solve", &PlaneQp::solve, Released())
      .def("column", &column, "plane"_a)
      .def("__len__", &PlaneQp::size)
      .def_prop_ro(
          "solution", [](const PlaneQp& self) { return copied(self.solution()); }, nb::rv_policy::automatic)
      .def_prop_ro("total", &PlaneQp::total)
      .def_prop_ro("slack", &PlaneQp::slack)
      .def_prop_ro("intercept", &PlaneQp::intercept)
      .def_prop_ro("objective", &PlaneQp::objective)
      .def_prop_ro("residual", &PlaneQp::residual)
      .def_prop_ro("rounds", &PlaneQp::rounds);
}

}  // namespace gristmill::bindings::bind_planes
