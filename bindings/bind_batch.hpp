// SPDX-License-Identifier: BSD-3-Clause
// What the bindings of batch solvers share: options and how a solver is run.
#pragma once
#include <nanobind/stl/vector.h>

#include <limits>

#include "arrays.hpp"
#include "call.hpp"
#include "solve/batch/problem.hpp"

namespace gristmill::bindings {

// max_iter below 0: without limit.
[[nodiscard]] inline solve::batch::DualOptions dual_options(double tol, std::int64_t max_iter, bool shrinking) {
  return {tol, max_iter < 0 ? std::numeric_limits<std::size_t>::max() : static_cast<std::size_t>(max_iter), shrinking};
}

// solve(n_jobs, progress) and solution(problem) of a solver.
template <class Solver>
void bind_dual_solver(nb::class_<Solver>& bound) {
  using namespace nb::literals;
  bound
      .def(
          "solve",
          [](Solver& self, std::size_t threads, nb::object progress) {
            watched(std::move(progress), [&](Observer& observer) { self.solve(threads, observer); });
          },
          "n_jobs"_a, progress_arg())
      .def("solution", [](const Solver& self, std::size_t problem) { return self.solution(problem); }, "problem"_a);
}

}  // namespace gristmill::bindings
