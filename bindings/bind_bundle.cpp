// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "solve/cutting_plane/bundle.hpp"

namespace gristmill::bindings::bind_bundle {

using namespace nb::literals;
using namespace solve::cutting_plane;

namespace {

using Values = Array<double>;
using Chosen = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Sized>
void check_size(const Sized& array, std::size_t wanted) {
  if (array.size() != wanted) throw std::invalid_argument("the arrays of a bundle have an entry for each variable");
}

// Python sees copies of points: they move.
struct Seen {
  const Bundle* bundle;
  const Bundle::Point* point;
};

Bundle* make(const Array<std::int8_t>& signs, const Values& costs, double total, bool balanced) {
  check_size(costs, signs.size());
  for (std::size_t v = 0; v < signs.size(); ++v) {
    if (std::abs(signs.data()[v]) != 1 || !(costs.data()[v] > 0) || !std::isfinite(costs.data()[v])) {
      throw std::invalid_argument("signs are 1 or -1, costs are above 0");
    }
  }
  return new Bundle(copy_of(signs), span_of(costs), total, balanced);
}

// result(), without the GIL, as an array.
template <class Work>
NumpyArray<double> weights_by(Work work) {
  return to_numpy(without_gil(work));
}

void add_sample(Bundle& self, const Array<std::uint32_t>& variables, const Values& weights, const Values& values) {
  check_size(weights, variables.size());
  check_size(values, self.variables());
  for (const std::uint32_t variable : span_of(variables)) {
    if (variable >= self.variables()) throw std::invalid_argument("no such variable");
  }
  PlaneSet::Sample sample{copy_of(variables), copy_of(weights)};
  without_gil([&] { self.add(std::move(sample), span_of(values)); });
}

void extend(Bundle& self, const Array<std::int8_t>& signs, const Values& costs, const Values& values) {
  check_size(costs, signs.size());
  check_size(values, signs.size());
  self.extend(span_of(signs), span_of(costs), span_of(values));
}

void register_point(nb::module_& m) {
  nb::class_<Seen>(m, "BundlePoint")
      .def_prop_ro(
          "dual", [](const Seen& self) { return to_numpy(std::vector(self.point->dual)); }, nb::rv_policy::automatic)
      .def_prop_ro(
          "margins", [](const Seen& self) { return to_numpy(std::vector(self.point->margins)); },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "weights", [](const Seen& self) { return weights_by([&] { return self.bundle->weights(*self.point); }); },
          nb::rv_policy::automatic)
      .def_prop_ro("norm", [](const Seen& self) { return self.point->norm; })
      .def_prop_ro("intercept", [](const Seen& self) { return self.point->intercept; })
      .def_prop_ro("loss", [](const Seen& self) { return self.point->loss; })
      .def_prop_ro("objective", [](const Seen& self) { return self.bundle->objective(*self.point); });
}

}  // namespace

void add_to(nb::module_& m) {
  register_point(m);
  nb::class_<Bundle>(m, "Bundle")
      .def(nb::new_(&make), "signs"_a.noconvert(), "costs"_a.noconvert(), "total"_a, "balanced"_a)
      .def("__len__", &Bundle::planes)
      .def_prop_ro("variables", &Bundle::variables)
      .def_prop_ro("total", &Bundle::total)
      .def_prop_ro("nbytes", &Bundle::nbytes)
      .def_prop_ro("lower", &Bundle::lower)
      .def_prop_ro("slack", [](const Bundle& self) { return self.qp().slack(); })
      .def_prop_ro("residual", [](const Bundle& self) { return self.qp().residual(); })
      .def_prop_ro(
          "plane_weights", [](const Bundle& self) { return copied(self.qp().solution()); }, nb::rv_policy::automatic)
      .def_prop_ro(
          "master", [](const Bundle& self) { return Seen{&self, &self.master()}; }, nb::keep_alive<0, 1>())
      .def_prop_ro(
          "best", [](const Bundle& self) { return Seen{&self, &self.best()}; }, nb::keep_alive<0, 1>())
      .def("members", [](const Bundle& self) { return to_numpy(self.members()); })
      .def("solve", &Bundle::solve, "patience"_a, Released())
      .def(
          "place",
          [](Bundle& self, const Values& values) {
            check_size(values, self.variables());
            without_gil([&] { self.place(span_of(values)); });
          },
          "values"_a.noconvert())
      .def("search", &Bundle::search, Released())
      .def(
          "cut", [](Bundle& self, double toward_master) { return weights_by([&] { return self.cut(toward_master); }); },
          "toward_master"_a)
      .def(
          "cut_where",
          [](Bundle& self, const Chosen& chosen) {
            check_size(chosen, self.variables());
            return weights_by([&] { return self.cut(std::span(chosen.data(), chosen.size())); });
          },
          "chosen"_a.noconvert())
      .def(
          "add",
          [](Bundle& self, const Values& values) {
            check_size(values, self.variables());
            without_gil([&] { self.add(span_of(values)); });
          },
          "values"_a.noconvert())
      .def("add_sample", &add_sample, "variables"_a.noconvert(), "weights"_a.noconvert(), "values"_a.noconvert())
      .def(
          "start",
          [](Bundle& self, const Values& dual, const Values& values, double intercept) {
            check_size(dual, self.variables());
            check_size(values, self.variables());
            self.start(copy_of(dual), span_of(values), intercept);
          },
          "dual"_a.noconvert(), "values"_a.noconvert(), "intercept"_a)
      .def("extend", &extend, "signs"_a.noconvert(), "costs"_a.noconvert(), "values"_a.noconvert());
}

}  // namespace gristmill::bindings::bind_bundle
