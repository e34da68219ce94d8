// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "call.hpp"
#include "code_arrays.hpp"
#include "explain/count_shapley.hpp"
#include "explain/product_shapley.hpp"
#include "explain/reference_shapley.hpp"
#include "explain/set_reference.hpp"
#include "explain/table_shapley.hpp"
#include "module.hpp"

namespace gristmill::bindings::bind_reference {

using namespace nb::literals;
using namespace explain;

namespace {

template <class Code>
void explain_codes(const TableShapley& self, const CodeArray<Code>& codes, const OutMatrix& values,
                   const OutMatrix& interactions, std::size_t threads, nb::object progress) {
  const solve::tables::Codes table = codes_of(codes, self.bins());
  watched(std::move(progress),
          [&](Observer& observer) { self.explain(table, span_of(values), span_of(interactions), threads, observer); });
}

}  // namespace

void add_to(nb::module_& m) {
  nb::class_<ReferenceShapley>(m, "ReferenceShapley")
      .def(
          "__init__",
          [](ReferenceShapley* self, std::shared_ptr<machine::SetMachine> machine) {
            without_gil(
                [&] { new (self) ReferenceShapley(std::shared_ptr<const machine::SetMachine>(std::move(machine))); });
          },
          "machine"_a)
      .def(
          "explain",
          [](const ReferenceShapley& self, const Array<Offset>& offsets, const Array<FeatureId>& ids,
             const Array<double>& x, const Array<double>& reference, const Array<Offset>& starts,
             const Array<std::uint32_t>& players, bool independent, const OutMatrix& values,
             const OutMatrix& interactions, std::size_t threads, nb::object progress) {
            watched(std::move(progress), [&](Observer& observer) {
              self.explain({rows_of(offsets, ids), span_of(x), span_of(reference), span_of(starts), span_of(players)},
                           independent, span_of(values), span_of(interactions), threads, observer);
            });
          },
          "offsets"_a.noconvert(), "ids"_a.noconvert(), "x"_a.noconvert(), "reference"_a.noconvert(),
          "starts"_a.noconvert(), "players"_a.noconvert(), "independent"_a, "values"_a.noconvert(),
          "interactions"_a.noconvert(), "threads"_a, progress_arg());

  nb::class_<SetReferenceShapley>(m, "SetReferenceShapley")
      .def(
          "__init__",
          [](SetReferenceShapley* self, std::shared_ptr<machine::SetMachine> machine) {
            without_gil([&] { new (self) SetReferenceShapley(std::move(machine)); });
          },
          "machine"_a)
      .def(
          "explain",
          [](const SetReferenceShapley& self, const Array<Offset>& offsets, const Array<FeatureId>& ids,
             const Array<double>& x, const Array<double>& reference, const OutMatrix& values,
             const OutMatrix& interactions, std::size_t threads, nb::object progress) {
            watched(std::move(progress), [&](Observer& observer) {
              self.explain({rows_of(offsets, ids), span_of(x), span_of(reference), {}, {}}, span_of(values),
                           span_of(interactions), threads, observer);
            });
          },
          "offsets"_a.noconvert(), "ids"_a.noconvert(), "x"_a.noconvert(), "reference"_a.noconvert(),
          "values"_a.noconvert(), "interactions"_a.noconvert(), "threads"_a, progress_arg());

  nb::enum_<Absence>(m, "Absence")
      .value("reference", Absence::reference)
      .value("independent", Absence::independent)
      .value("dropped", Absence::dropped);

  nb::class_<ProductShapley>(m, "ProductShapley")
      .def(
          "__init__",
          [](ProductShapley* self, std::shared_ptr<machine::SetMachine> machine) {
            without_gil([&] { new (self) ProductShapley(std::move(machine)); });
          },
          "machine"_a)
      .def(
          "explain",
          [](const ProductShapley& self, const Array<Offset>& offsets, const Array<FeatureId>& ids,
             const Array<double>& x, const Array<double>& reference, const Array<Offset>& starts,
             const Array<std::uint32_t>& players, Absence absence, const OutMatrix& values,
             const OutMatrix& interactions, std::size_t threads, nb::object progress) {
            watched(std::move(progress), [&](Observer& observer) {
              self.explain({rows_of(offsets, ids), span_of(x), span_of(reference), span_of(starts), span_of(players)},
                           absence, span_of(values), span_of(interactions), threads, observer);
            });
          },
          "offsets"_a.noconvert(), "ids"_a.noconvert(), "x"_a.noconvert(), "reference"_a.noconvert(),
          "starts"_a.noconvert(), "players"_a.noconvert(), "absence"_a, "values"_a.noconvert(),
          "interactions"_a.noconvert(), "threads"_a, progress_arg());

  nb::class_<CountShapley>(m, "CountShapley")
      .def(
          "__init__",
          [](CountShapley* self, std::shared_ptr<machine::SetMachine> machine) {
            without_gil([&] { new (self) CountShapley(std::move(machine)); });
          },
          "machine"_a)
      .def(
          "explain",
          [](const CountShapley& self, const Array<Offset>& offsets, const Array<FeatureId>& ids,
             const Array<double>& x, const Array<double>& reference, const Array<Offset>& starts,
             const Array<std::uint32_t>& players, bool independent, const OutMatrix& values,
             const OutMatrix& interactions, std::size_t threads, nb::object progress) {
            watched(std::move(progress), [&](Observer& observer) {
              self.explain({rows_of(offsets, ids), span_of(x), span_of(reference), span_of(starts), span_of(players)},
                           independent, span_of(values), span_of(interactions), threads, observer);
            });
          },
          "offsets"_a.noconvert(), "ids"_a.noconvert(), "x"_a.noconvert(), "reference"_a.noconvert(),
          "starts"_a.noconvert(), "players"_a.noconvert(), "independent"_a, "values"_a.noconvert(),
          "interactions"_a.noconvert(), "threads"_a, progress_arg());

  nb::class_<TableShapley>(m, "TableShapley")
      .def(
          "__init__",
          [](TableShapley* self, const Array<std::uint32_t>& bins, const Array<std::uint32_t>& players,
             const std::vector<std::vector<std::uint32_t>>& parts, const Array<double>& tables, std::size_t outputs) {
            new (self) TableShapley(copy_of(bins), copy_of(players), parts, copy_of(tables), outputs);
          },
          "bins"_a.noconvert(), "players"_a.noconvert(), "parts"_a, "tables"_a.noconvert(), "outputs"_a)
      .def_prop_ro("outputs", &TableShapley::outputs)
      .def_prop_ro("players", &TableShapley::players)
      .def("explain", &explain_codes<std::uint8_t>, "codes"_a.noconvert(), "values"_a.noconvert(),
           "interactions"_a.noconvert(), "n_jobs"_a, progress_arg())
      .def("explain", &explain_codes<std::uint16_t>, "codes"_a.noconvert(), "values"_a.noconvert(),
           "interactions"_a.noconvert(), "n_jobs"_a, progress_arg());
}

}  // namespace gristmill::bindings::bind_reference
