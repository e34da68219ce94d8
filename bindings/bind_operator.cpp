// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>

#include "arrays.hpp"
#include "base/pool.hpp"
#include "bind_forest.hpp"
#include "call.hpp"
#include "kernel/operator/matrix_product.hpp"
#include "kernel/operator/tree_operator.hpp"
#include "module.hpp"

namespace gristmill::bindings::bind_operator {

using namespace nb::literals;
using namespace kernel::gram;

namespace {

// An operator with the forest its trees are in.
struct BoundOperator {
  std::shared_ptr<const SharedForest> forest;
  std::unique_ptr<const TreeOperator> native;
  std::unique_ptr<Pool<TreeOperator::Scratch>> scratches = std::make_unique<Pool<TreeOperator::Scratch>>();

  // make(forest), while nobody writes to it.
  template <class Make>
  BoundOperator(std::shared_ptr<const SharedForest> trees, const Roots& roots, Make make)
      : forest(std::move(trees)), native(forest->read([&](const forest::Forest& nodes) {
          check_roots(nodes, span_of(roots));
          return make(nodes);
        })) {}
};

void check_numbers(std::span<const std::int64_t> numbers, std::size_t size) {
  for (const std::int64_t number : numbers) {
    if (number < 0 || static_cast<std::size_t>(number) >= size) throw nb::index_error("no such row or column");
  }
}

void multiply_matrix(const Matrix& matrix, const Array<std::int64_t>& rows, const Array<std::int64_t>& columns,
                     const Matrix& weights, const OutMatrix& out, std::size_t threads, nb::object progress) {
  if (weights.shape(0) != columns.size() || out.shape(0) != rows.size() || out.shape(1) != weights.shape(1)) {
    throw std::invalid_argument("arrays do not fit the product");
  }
  check_numbers(span_of(rows), matrix.shape(0));
  check_numbers(span_of(columns), matrix.shape(1));
  watched(std::move(progress), [&](Observer& observer) {
    multiply({matrix.data(), matrix.shape(1)}, span_of(rows), span_of(columns), span_of(weights), weights.shape(1),
             span_of(out), threads, observer);
  });
}

}  // namespace

void add_to(nb::module_& m) {
  m.def("multiply_matrix", &multiply_matrix, "matrix"_a.noconvert(), "rows"_a.noconvert(), "columns"_a.noconvert(),
        "weights"_a.noconvert(), "out"_a.noconvert(), "threads"_a, progress_arg());
  nb::exception<OperatorTooLargeError>(m, "OperatorTooLargeError", PyExc_ValueError);

  m.def(
      "worthwhile",
      [](std::size_t trees) {
        const CompileOptions options = CompileOptions::worthwhile(trees);
        return std::make_pair(options.max_bytes, options.max_steps);
      },
      "trees"_a);
  nb::class_<BoundOperator>(m, "TreeOperator")
      .def(
          "__init__",
          [](BoundOperator* self, const kernel::trees::TreeKernel& kernel, std::shared_ptr<SharedForest> forest,
             const Roots& roots, std::size_t max_bytes, std::size_t max_steps, std::size_t threads,
             nb::object progress) {
            return watched(std::move(progress), [&](Observer& observer) {
              new (self) BoundOperator(std::move(forest), roots, [&](const forest::Forest& nodes) {
                return std::make_unique<const TreeOperator>(kernel, nodes, span_of(roots),
                                                            CompileOptions{max_bytes, max_steps, threads}, observer);
              });
            });
          },
          "kernel"_a, "forest"_a, "roots"_a.noconvert(), "max_bytes"_a, "max_steps"_a, "threads"_a, progress_arg())
      .def(
          "extended",
          [](const BoundOperator& self, const Roots& roots, std::size_t max_bytes, std::size_t max_steps,
             std::size_t threads, nb::object progress) {
            return watched(std::move(progress), [&](Observer& observer) {
              return BoundOperator(self.forest, roots, [&](const forest::Forest& nodes) {
                return std::make_unique<const TreeOperator>(*self.native, nodes, span_of(roots),
                                                            CompileOptions{max_bytes, max_steps, threads}, observer);
              });
            });
          },
          "roots"_a.noconvert(), "max_bytes"_a, "max_steps"_a, "threads"_a, progress_arg())
      .def("__len__", [](const BoundOperator& self) { return self.native->trees(); })
      .def_prop_ro("n_subtrees", [](const BoundOperator& self) { return self.native->subtrees(); })
      .def_prop_ro("n_trees", [](const BoundOperator& self) { return self.native->different_trees(); })
      .def_prop_ro("n_compiled", [](const BoundOperator& self) { return self.native->compiled(); })
      .def_prop_ro("nbytes", [](const BoundOperator& self) { return self.native->nbytes(); })
      .def(
          "multiply",
          [](const BoundOperator& self, const Matrix& weights, const Array<double>& scales, const OutMatrix& out,
             std::size_t threads, nb::object progress) {
            const std::size_t trees = self.native->trees();
            if (weights.shape(0) != trees || out.shape(0) != trees || out.shape(1) != weights.shape(1) ||
                (scales.size() != 0 && scales.size() != trees)) {
              throw std::invalid_argument("arrays do not fit the operator");
            }
            watched(std::move(progress), [&](Observer& observer) {
              std::unique_ptr<TreeOperator::Scratch> scratch = self.scratches->take();
              self.native->multiply(span_of(weights), weights.shape(1), span_of(scales), span_of(out), *scratch,
                                    threads, observer);
              self.scratches->give_back(std::move(scratch));
            });
          },
          "weights"_a.noconvert(), "scales"_a.noconvert(), "out"_a.noconvert(), "threads"_a, progress_arg());
}

}  // namespace gristmill::bindings::bind_operator
