// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bind_scorer.hpp"
#include "call.hpp"
#include "explain/conjunction_shapley.hpp"
#include "machine/conjunction_machine.hpp"
#include "module.hpp"
#include "rows/conjunction_index.hpp"
#include "score/conjunction_direct.hpp"
#include "score/conjunction_inverted.hpp"

namespace gristmill::bindings::bind_conjunctions {

using namespace nb::literals;

namespace {

using machine::ConjunctionMachine;

std::shared_ptr<ConjunctionMachine> make_machine(const Array<Offset>& offsets, const Array<FeatureId>& ids,
                                                 const Array<double>& coef, const Array<Offset>& coef_offsets,
                                                 const Array<std::int32_t>& coef_columns,
                                                 const Array<double>& intercept) {
  machine::Coefficients coefficients =
      coefficients_of(offsets.size() - 1, intercept.size(), coef, coef_offsets, coef_columns);
  return std::make_shared<ConjunctionMachine>(
      ConjunctionMachine{copy_of(offsets), copy_of(ids), std::move(coefficients), copy_of(intercept)});
}

template <class Scorer>
nb::class_<Scorer> bind_one(nb::module_& m, const char* name) {
  auto scorer = nb::class_<Scorer>(m, name);
  scorer.def(
      "__init__",
      [](Scorer* self, std::shared_ptr<ConjunctionMachine> machine) {
        without_gil([&] { new (self) Scorer(std::shared_ptr<const ConjunctionMachine>(std::move(machine))); });
      },
      "machine"_a);
  bind_shape(scorer);
  return scorer;
}

template <class Scorer>
void bind_scorer(nb::module_& m, const char* name) {
  auto scorer = bind_one<Scorer>(m, name);
  bind_scoring(scorer);
}

void explain_rows(const explain::ConjunctionShapley& self, const Array<Offset>& offsets, const Array<FeatureId>& ids,
                  const Array<double>& x, const Array<double>& reference, const Array<Offset>& starts,
                  const Array<std::uint32_t>& players, const OutMatrix& values, const OutMatrix& interactions,
                  std::size_t threads, nb::object progress) {
  watched(std::move(progress), [&](Observer& observer) {
    self.explain({rows_of(offsets, ids), span_of(x), span_of(reference), span_of(starts), span_of(players)},
                 span_of(values), span_of(interactions), threads, observer);
  });
}

}  // namespace

void add_to(nb::module_& m) {
  nb::class_<ConjunctionMachine>(m, "ConjunctionMachine")
      .def(nb::new_(&make_machine), "offsets"_a.noconvert(), "ids"_a.noconvert(), "coef"_a.noconvert(),
           "coef_offsets"_a.noconvert(), "coef_columns"_a.noconvert(), "intercept"_a.noconvert());
  bind_scorer<score::ConjunctionDirect>(m, "ConjunctionDirect");
  bind_scorer<score::ConjunctionInverted>(m, "ConjunctionInverted");
  bind_one<explain::ConjunctionShapley>(m, "ConjunctionShapley")
      .def("explain", &explain_rows, "offsets"_a.noconvert(), "ids"_a.noconvert(), "x"_a.noconvert(),
           "reference"_a.noconvert(), "starts"_a.noconvert(), "players"_a.noconvert(), "values"_a.noconvert(),
           "interactions"_a.noconvert(), "threads"_a, progress_arg());
  m.def(
      "most_equal",
      [](const Array<Offset>& offsets, const Array<FeatureId>& ids) {
        return without_gil([&] { return rows::most_equal(rows_of(offsets, ids)); });
      },
      "offsets"_a.noconvert(), "ids"_a.noconvert());
}

}  // namespace gristmill::bindings::bind_conjunctions
