// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/shared_ptr.h>

#include "arrays.hpp"
#include "bind_scorer.hpp"
#include "call.hpp"
#include "explain/explain_rows.hpp"
#include "explain/pair_totals.hpp"
#include "module.hpp"

namespace gristmill::bindings::bind_explain {

using namespace nb::literals;
using namespace explain;

void add_to(nb::module_& m) {
  auto explainer = nb::class_<ShapleyExplainer>(m, "ShapleyExplainer");
  explainer
      .def(
          "__init__",
          [](ShapleyExplainer* self, std::shared_ptr<machine::SetMachine> machine) {
            without_gil([&] { new (self) ShapleyExplainer(std::move(machine)); });
          },
          "machine"_a)
      .def(
          "explain",
          [](const ShapleyExplainer& self, const Array<Offset>& offsets, const Array<FeatureId>& ids,
             const OutMatrix& values, const Array<Offset>& starts, const OutMatrix& interactions, std::size_t threads,
             nb::object progress) {
            watched(std::move(progress), [&](Observer& observer) {
              explain_rows(self, rows_of(offsets, ids), span_of(values), span_of(starts), span_of(interactions),
                           threads, observer);
            });
          },
          "offsets"_a.noconvert(), "ids"_a.noconvert(), "values"_a.noconvert(), "starts"_a.noconvert(),
          "interactions"_a.noconvert(), "threads"_a, progress_arg());
  bind_shape(explainer);

  nb::class_<PairTotals>(m, "PairTotals")
      .def(nb::init<std::size_t>(), "outputs"_a)
      .def("__len__", &PairTotals::size)
      .def(
          "add",
          [](PairTotals& self, const Array<Offset>& offsets, const Array<FeatureId>& ids, const OutMatrix& pairs) {
            without_gil([&] { self.add(rows_of(offsets, ids), span_of(pairs)); });
          },
          "offsets"_a.noconvert(), "ids"_a.noconvert(), "pairs"_a.noconvert())
      .def("features", [](const PairTotals& self) { return copied(self.features()); })
      .def("examples", [](const PairTotals& self) { return copied(self.examples()); })
      .def("sums", [](const PairTotals& self) { return copied(self.sums()); })
      .def("magnitudes", [](const PairTotals& self) { return copied(self.magnitudes()); });
}

}  // namespace gristmill::bindings::bind_explain
