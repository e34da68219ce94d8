// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/shared_ptr.h>

#include "arrays.hpp"
#include "call.hpp"
#include "explain/reference_shapley.hpp"
#include "module.hpp"

namespace gristmill::bindings::bind_reference {

using namespace nb::literals;
using namespace explain;

void add_to(nb::module_& m) {
  nb::class_<ReferenceShapley>(m, "ReferenceShapley")
      .def(
          "__init__",
          [](ReferenceShapley* self, std::shared_ptr<machine::PolynomialMachine> machine) {
            without_gil([&] {
              new (self) ReferenceShapley(std::shared_ptr<const machine::PolynomialMachine>(std::move(machine)));
            });
          },
          "machine"_a)
      .def(
          "explain",
          [](const ReferenceShapley& self, const Array<Offset>& offsets, const Array<FeatureId>& ids,
             const Array<double>& x, const Array<double>& reference, const OutMatrix& values,
             const OutMatrix& interactions, std::size_t threads, nb::object progress) {
            watched(std::move(progress), [&](Observer& observer) {
              self.explain({rows_of(offsets, ids), span_of(x), span_of(reference)}, span_of(values),
                           span_of(interactions), threads, observer);
            });
          },
          "offsets"_a.noconvert(), "ids"_a.noconvert(), "x"_a.noconvert(), "reference"_a.noconvert(),
          "values"_a.noconvert(), "interactions"_a.noconvert(), "threads"_a, progress_arg());
}

}  // namespace gristmill::bindings::bind_reference
