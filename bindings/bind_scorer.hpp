// SPDX-License-Identifier: BSD-3-Clause
// What all scorers of binary rows have in common.
#pragma once
#include <nanobind/nanobind.h>

#include "arrays.hpp"
#include "call.hpp"
#include "machine/coefficients.hpp"
#include "score/batch.hpp"

namespace gristmill::bindings {

// Dense where there are no offsets: rows x outputs; else CSR.
[[nodiscard]] inline machine::Coefficients coefficients_of(std::size_t rows, std::size_t outputs,
                                                           const Array<double>& coef, const Array<Offset>& coef_offsets,
                                                           const Array<std::int32_t>& coef_columns) {
  if (coef_offsets.size() == 0) return machine::Coefficients::dense(rows, outputs, copy_of(coef));
  return machine::Coefficients::sparse(outputs, span_of(coef_offsets), span_of(coef_columns), copy_of(coef));
}

template <class Scorer>
void bind_shape(nb::class_<Scorer>& scorer) {
  scorer.def_prop_ro("outputs", &Scorer::outputs).def_prop_ro("nbytes", &Scorer::nbytes);
}

template <class Scorer>
void bind_scoring(nb::class_<Scorer>& scorer) {
  using namespace nb::literals;
  scorer.def(
      "score",
      [](const Scorer& self, const Array<Offset>& offsets, const Array<FeatureId>& ids, const OutMatrix& out,
         std::size_t threads, nb::object progress) {
        watched(std::move(progress), [&](Observer& observer) {
          score::score_rows(self, rows_of(offsets, ids), span_of(out), threads, observer);
        });
      },
      "offsets"_a.noconvert(), "ids"_a.noconvert(), "out"_a.noconvert(), "threads"_a, progress_arg());
}

}  // namespace gristmill::bindings
