// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <span>

#include "bind_batch.hpp"
#include "call.hpp"
#include "module.hpp"
#include "rows/shared_conjunctions.hpp"
#include "solve/batch/dual_cd.hpp"

namespace gristmill::bindings::bind_dual_cd {

using namespace nb::literals;
using namespace solve::batch;

void add_to(nb::module_& m) {
  nb::exception<PatternsTooLargeError>(m, "PatternsTooLargeError", PyExc_ValueError);

  nb::class_<ExpandedRows>(m, "ExpandedRows")
      .def(
          "__init__",
          [](ExpandedRows* self, const kernel::PolynomialKernel& kernel, const Array<Offset>& offsets,
             const Array<FeatureId>& ids, std::size_t max_bytes, std::size_t threads, nb::object progress) {
            const rows::Rows rows = rows_of(offsets, ids);
            watched(std::move(progress),
                    [&](Observer& observer) { new (self) ExpandedRows(kernel, rows, max_bytes, threads, observer); });
          },
          "kernel"_a, "offsets"_a.noconvert(), "ids"_a.noconvert(), "max_bytes"_a, "n_jobs"_a, progress_arg())
      .def("__len__", &ExpandedRows::size)
      .def(
          "take",
          [](const ExpandedRows& self, const Array<RowId>& kept) {
            const std::span rows(kept.data(), kept.size());
            if (std::ranges::any_of(rows, [&](RowId row) { return row >= self.size(); }))
              throw std::out_of_range("there is no such row");
            return ExpandedRows(self, rows);
          },
          "rows"_a.noconvert(), Released())
      .def_prop_ro("patterns", [](const ExpandedRows& self) { return self.pattern_weights().size(); })
      .def_prop_ro("nbytes", &ExpandedRows::nbytes);

  nb::class_<DualCdSolver> solver(m, "DualCdSolver");
  solver.def(
      "__init__",
      [](DualCdSolver* self, const ExpandedRows& rows, std::vector<DualProblem> problems, double tol,
         std::int64_t max_iter, bool shrinking) {
        new (self) DualCdSolver(rows, std::move(problems), dual_options(tol, max_iter, shrinking));
      },
      "rows"_a, "problems"_a, "tol"_a, "max_iter"_a, "shrinking"_a, nb::keep_alive<1, 2>());
  bind_dual_solver(solver);
}

}  // namespace gristmill::bindings::bind_dual_cd
