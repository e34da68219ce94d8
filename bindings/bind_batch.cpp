// SPDX-License-Identifier: BSD-3-Clause
#include "bind_batch.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <stdexcept>

#include "bind_buffers.hpp"
#include "call.hpp"
#include "module.hpp"
#include "solve/batch/callback_rows.hpp"
#include "solve/batch/gram_rows.hpp"
#include "solve/batch/overlap_rows.hpp"
#include "solve/batch/product_rows.hpp"
#include "solve/batch/smo.hpp"

namespace gristmill::bindings::bind_batch {

using namespace nb::literals;
using namespace solve::batch;

namespace {

// fill(numbers) -> their rows, asked from any thread.
void fill_by(const nb::object& fill, std::span<const RowId> numbers, std::span<double> out) {
  const nb::gil_scoped_acquire gil;
  const nb::object made = fill(to_numpy(std::vector<RowId>(numbers.begin(), numbers.end())));
  const std::size_t size = out.size() / numbers.size();
  Matrix block;
  if (!nb::try_cast(made, block, false) || block.shape(0) != numbers.size() || block.shape(1) != size) {
    throw std::invalid_argument("the rows of a kernel are a float64 array, C-contiguous, of " +
                                std::to_string(numbers.size()) + " x " + std::to_string(size));
  }
  std::copy_n(block.data(), out.size(), out.data());
}

std::shared_ptr<SolverRows> called_rows(std::size_t size, const Array<double>& diagonal, nb::object fill,
                                        std::size_t block, std::size_t max_bytes) {
  if (diagonal.size() != size) throw std::invalid_argument("the diagonal has another size");
  return std::make_shared<CallbackRows>(
      copy_of(diagonal),
      [fill = std::move(fill)](std::span<const RowId> numbers, std::span<double> out) { fill_by(fill, numbers, out); },
      block, max_bytes);
}

std::shared_ptr<SolverRows> gram_rows(const Matrix& matrix) {
  if (matrix.shape(0) != matrix.shape(1)) throw std::invalid_argument("a Gram matrix is square");
  return std::make_shared<GramRows>(borrowed(matrix), matrix.shape(0));
}

std::shared_ptr<SolverRows> counted_rows(const kernel::SetKernel& kernel, const Array<Offset>& offsets,
                                         const Array<FeatureId>& ids, std::size_t max_bytes) {
  Buffer<Offset> kept_offsets = borrowed(offsets);
  Buffer<FeatureId> kept_ids = borrowed(ids);
  return without_gil(
      [&] { return make_counted_rows(kernel, std::move(kept_offsets), std::move(kept_ids), max_bytes); });
}

std::shared_ptr<SolverRows> product_rows(const kernel::SetKernel& kernel, const Array<Offset>& offsets,
                                         const Array<FeatureId>& ids, const Array<double>& values,
                                         std::size_t max_bytes) {
  if (values.size() != ids.size()) throw std::invalid_argument("each entry has a value");
  const rows::RealRows rows{rows_of(offsets, ids), span_of(values)};
  return without_gil([&] { return make_product_rows(kernel, rows, max_bytes); });
}

void register_solver_rows(nb::module_& m) {
  nb::class_<SolverRows>(m, "SolverRows")
      .def_prop_ro("size", &SolverRows::size)
      .def_prop_ro("nbytes", &SolverRows::nbytes)
      .def_prop_ro("rows_computed", &SolverRows::rows_computed);
  m.def("gram_rows", &gram_rows, "matrix"_a.noconvert());
  m.def("counted_rows", &counted_rows, "kernel"_a, "offsets"_a.noconvert(), "ids"_a.noconvert(), "max_bytes"_a);
  m.def("product_rows", &product_rows, "kernel"_a, "offsets"_a.noconvert(), "ids"_a.noconvert(), "values"_a.noconvert(),
        "max_bytes"_a,
        nb::sig("def product_rows(kernel: SetKernel, offsets: numpy.typing.NDArray[numpy.int64], "
                "ids: numpy.typing.NDArray[numpy.int32], values: numpy.typing.NDArray[numpy.float64], "
                "max_bytes: int) -> SolverRows | None"));
  m.def("called_rows", &called_rows, "size"_a, "diagonal"_a.noconvert(), "fill"_a, "block"_a, "max_bytes"_a,
        nb::sig("def called_rows(size: int, diagonal: numpy.typing.NDArray[numpy.float64], "
                "fill: collections.abc.Callable[[numpy.typing.NDArray[numpy.uint32]], "
                "numpy.typing.NDArray[numpy.float64]], block: int, max_bytes: int) -> SolverRows"));
}

void register_dual_problem(nb::module_& m) {
  nb::class_<DualProblem>(m, "DualProblem")
      .def(
          "__init__",
          [](DualProblem* self, const Array<RowId>& examples, const Array<std::int8_t>& signs,
             const Array<double>& linear, const Array<double>& bounds, const Array<double>& start, bool equality,
             double constant, const std::optional<Array<double>>& gradient,
             const std::optional<Array<double>>& gradient_errors, double start_objective) {
            const auto known = [](const std::optional<Array<double>>& values) {
              return values ? copy_of(*values) : std::vector<double>();
            };
            new (self)
                DualProblem{copy_of(examples), copy_of(signs),         copy_of(linear), copy_of(bounds), copy_of(start),
                            known(gradient),   known(gradient_errors), start_objective, equality,        constant};
          },
          "examples"_a.noconvert(), "signs"_a.noconvert(), "linear"_a.noconvert(), "bounds"_a.noconvert(),
          "start"_a.noconvert(), "equality"_a, "constant"_a, "gradient"_a.noconvert() = nb::none(),
          "gradient_errors"_a.noconvert() = nb::none(), "start_objective"_a = 0.0)
      .def("__len__", &DualProblem::size);

  nb::class_<DualSolution>(m, "DualSolution")
      .def_prop_ro(
          "alpha", [](const DualSolution& self) { return to_numpy(self.alpha); }, nb::rv_policy::automatic)
      .def_prop_ro(
          "gradient", [](const DualSolution& self) { return to_numpy(self.gradient); }, nb::rv_policy::automatic)
      .def_prop_ro(
          "gradient_errors", [](const DualSolution& self) { return to_numpy(self.gradient_errors); },
          nb::rv_policy::automatic)
      .def_ro("intercept", &DualSolution::intercept)
      .def_ro("objective", &DualSolution::objective)
      .def_ro("violation", &DualSolution::violation)
      .def_ro("iterations", &DualSolution::iterations)
      .def_ro("converged", &DualSolution::converged);
}

}  // namespace

void add_to(nb::module_& m) {
  register_solver_rows(m);
  register_dual_problem(m);
  nb::class_<SmoSolver> smo(m, "SmoSolver");
  smo.def(
      "__init__",
      [](SmoSolver* self, std::shared_ptr<SolverRows> rows, std::vector<DualProblem> problems, double tol,
         std::int64_t max_iter, bool shrinking) {
        new (self) SmoSolver(std::move(rows), std::move(problems), dual_options(tol, max_iter, shrinking));
      },
      "rows"_a, "problems"_a, "tol"_a, "max_iter"_a, "shrinking"_a);
  bind_dual_solver(smo);
}

}  // namespace gristmill::bindings::bind_batch
