// SPDX-License-Identifier: BSD-3-Clause
#include "arrays.hpp"
#include "call.hpp"
#include "kernel/polynomial_rows.hpp"
#include "module.hpp"

namespace gristmill::bindings::bind_kernel {

using namespace nb::literals;
using namespace kernel;

void add_to(nb::module_& m) {
  nb::class_<PolynomialKernel>(m, "PolynomialKernel")
      .def(nb::init<unsigned, double, double>(), "degree"_a, "gamma"_a, "coef0"_a)
      .def("__call__", &PolynomialKernel::operator(), "dot"_a)
      .def(
          "values",
          [](const PolynomialKernel& kernel, std::size_t largest) { return to_numpy(kernel.values(largest)); },
          "largest"_a)
      .def("subset_weights", [](const PolynomialKernel& kernel) { return to_numpy(kernel.subset_weights()); });

  nb::class_<PolynomialRows>(m, "PolynomialRows")
      .def(
          "__init__",
          [](PolynomialRows* self, PolynomialKernel kernel, const Array<Offset>& offsets, const Array<FeatureId>& ids) {
            new (self) PolynomialRows(kernel, rows_of(offsets, ids));
          },
          "kernel"_a, "offsets"_a.noconvert(), "ids"_a.noconvert())
      .def("__len__", &PolynomialRows::size)
      .def(
          "fill",
          [](const PolynomialRows& self, const Array<Offset>& offsets, const Array<FeatureId>& ids,
             const OutMatrix& out, std::size_t threads, nb::object progress) {
            watched(std::move(progress),
                    [&](Observer& observer) { self.fill(rows_of(offsets, ids), span_of(out), threads, observer); });
          },
          "offsets"_a.noconvert(), "ids"_a.noconvert(), "out"_a.noconvert(), "threads"_a, progress_arg());
}

}  // namespace gristmill::bindings::bind_kernel
