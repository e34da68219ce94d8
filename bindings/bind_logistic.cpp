// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <stdexcept>

#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "rows/conjunction_sums.hpp"
#include "solve/logistic/logistic_solver.hpp"

namespace gristmill::bindings::bind_logistic {

using namespace nb::literals;
using namespace solve::logistic;

namespace {

nb::tuple sum_conjunctions(const Array<Offset>& offsets, const Array<FeatureId>& ids, const Matrix& values,
                           const Array<double>& weights, std::size_t max_bytes, std::size_t threads,
                           nb::object progress) {
  const rows::Rows rows = rows_of(offsets, ids);
  rows::ConjunctionSums found = watched(std::move(progress), [&](Observer& observer) {
    return rows::sum_conjunctions(rows, span_of(values), values.shape(1), span_of(weights), max_bytes, threads,
                                  observer);
  });
  return nb::make_tuple(to_numpy(std::move(found.offsets)), to_numpy(std::move(found.ids)),
                        to_numpy(std::move(found.sums)));
}

void solve(LogisticSolver& self, double tol, std::size_t max_iter, nb::object progress) {
  if (!(tol >= 0)) throw std::invalid_argument("tol is 0 or more");
  watched(std::move(progress), [&](Observer& observer) { self.solve(tol, max_iter, observer); });
}

}  // namespace

void add_to(nb::module_& m) {
  m.def("sum_conjunctions", &sum_conjunctions, "offsets"_a.noconvert(), "ids"_a.noconvert(), "values"_a.noconvert(),
        "weights"_a.noconvert(), "max_bytes"_a, "n_jobs"_a, progress_arg(),
        nb::sig("def sum_conjunctions(offsets: numpy.typing.NDArray[numpy.int64], "
                "ids: numpy.typing.NDArray[numpy.int32], values: numpy.typing.NDArray[numpy.float64], "
                "weights: numpy.typing.NDArray[numpy.float64], max_bytes: int, n_jobs: int, "
                "progress: object | None = None) -> tuple[numpy.typing.NDArray[numpy.int64], "
                "numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float64]]"));

  nb::class_<LogisticSolver>(m, "LogisticSolver")
      .def(
          "__init__",
          [](LogisticSolver* self, const solve::batch::ExpandedRows& rows, const Array<double>& costs,
             const Matrix& targets, std::uint32_t seed) {
            const std::span<const double> all = span_of(targets);
            LogisticProblem problem{copy_of(costs), {all.begin(), all.end()}, targets.shape(1)};
            new (self) LogisticSolver(rows, std::move(problem), seed);
          },
          "rows"_a, "costs"_a.noconvert(), "targets"_a.noconvert(), "seed"_a, nb::keep_alive<1, 2>())
      .def(
          "start",
          [](LogisticSolver& self, const Matrix& scores, nb::object progress) {
            watched(std::move(progress), [&](Observer& observer) { self.start(span_of(scores), observer); });
          },
          "scores"_a.noconvert(), progress_arg())
      .def("solve", &solve, "tol"_a, "max_iter"_a, progress_arg())
      .def(
          "judge",
          [](LogisticSolver& self, nb::object progress) {
            watched(std::move(progress), [&](Observer& observer) { self.judge(observer); });
          },
          progress_arg())
      .def("coefficients", [](const LogisticSolver& self) { return copied(self.coefficients()); })
      .def_prop_ro("objective", &LogisticSolver::objective)
      .def_prop_ro("gap", &LogisticSolver::gap)
      .def_prop_ro("passes", &LogisticSolver::passes)
      .def_prop_ro("converged", &LogisticSolver::converged);
}

}  // namespace gristmill::bindings::bind_logistic
