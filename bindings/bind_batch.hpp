// SPDX-License-Identifier: BSD-3-Clause
// What the bindings of batch solvers share: borrowed arrays, options and how a solver is run.
#pragma once
#include <nanobind/stl/vector.h>

#include <limits>

#include "arrays.hpp"
#include "base/buffer.hpp"
#include "python_observer.hpp"
#include "solve/batch/problem.hpp"

namespace gristmill::bindings {

// An array that lives as long as any copy of the buffer; it is let go with the GIL held.
template <class T, class... Shape>
[[nodiscard]] Buffer<T> kept(const nb::ndarray<const T, Shape...>& array) {
  using Kept = nb::ndarray<const T, Shape...>;
  const std::shared_ptr<const void> owner(new Kept(array), [](const Kept* one) {
    const nb::gil_scoped_acquire gil;
    delete one;
  });
  return {std::span(array.data(), array.size()), owner};
}

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
            PythonObserver observer(std::move(progress));
            const nb::gil_scoped_release release;
            self.solve(threads, observer);
          },
          "n_jobs"_a, "progress"_a.none() = nb::none())
      .def("solution", [](const Solver& self, std::size_t problem) { return self.solution(problem); }, "problem"_a);
}

}  // namespace gristmill::bindings
