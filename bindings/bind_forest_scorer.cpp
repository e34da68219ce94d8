// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/shared_ptr.h>

#include "arrays.hpp"
#include "bind_forest.hpp"
#include "module.hpp"
#include "python_observer.hpp"
#include "score/forest/scorer.hpp"

namespace gristmill {

using namespace nb::literals;

namespace {

using Roots = Array<NodeId>;

// A scorer with the forest of its support trees.
struct BoundScorer {
  std::shared_ptr<const SharedForest> forest;
  std::unique_ptr<const ForestScorer> native;

  // make(machine), while nobody writes to the forest.
  template <class Make>
  BoundScorer(const TreeKernel& kernel, std::shared_ptr<const SharedForest> trees, const Roots& roots,
              const Array<double>& coef, std::size_t outputs, Make make)
      : forest(std::move(trees)), native(forest->read([&](const Forest& nodes) {
          check_roots(nodes, span_of(roots));
          if (coef.size() != roots.size() * outputs) throw std::invalid_argument("coef has the wrong size");
          return make(ForestMachine{kernel, forest->pointer(), span_of(roots), span_of(coef), outputs});
        })) {}
};

}  // namespace

void register_forest_scorer(nb::module_& m) {
  nb::class_<BoundScorer>(m, "ForestScorer")
      .def_static(
          "by_lists",
          [](const TreeKernel& kernel, std::shared_ptr<SharedForest> forest, const Roots& roots,
             const Array<double>& coef, std::size_t outputs, std::size_t max_bytes, std::size_t max_steps,
             nb::object progress) {
            PythonObserver observer(std::move(progress));
            const nb::gil_scoped_release release;
            return BoundScorer(kernel, std::move(forest), roots, coef, outputs, [&](const ForestMachine& machine) {
              return make_list_scorer(machine, {max_bytes, max_steps, 1}, observer);
            });
          },
          "kernel"_a, "forest"_a, "roots"_a.noconvert(), "coef"_a.noconvert(), "outputs"_a, "max_bytes"_a,
          "max_steps"_a, "progress"_a.none() = nb::none())
      .def_static(
          "by_vectors",
          [](const TreeKernel& kernel, std::shared_ptr<SharedForest> forest, const Roots& roots,
             const Array<double>& coef, std::size_t outputs) {
            const nb::gil_scoped_release release;
            return BoundScorer(kernel, std::move(forest), roots, coef, outputs, make_delta_scorer);
          },
          "kernel"_a, "forest"_a, "roots"_a.noconvert(), "coef"_a.noconvert(), "outputs"_a)
      .def_prop_ro("nbytes", [](const BoundScorer& self) { return self.native->nbytes(); })
      .def(
          "score",
          [](const BoundScorer& self, const SharedForest& forest, const Roots& roots, const OutMatrix& out,
             std::size_t threads, nb::object progress) {
            PythonObserver observer(std::move(progress));
            const nb::gil_scoped_release release;
            const auto queries = SharedForest::read_both(*self.forest, forest, [&](const Forest&, const Forest& nodes) {
              check_roots(nodes, span_of(roots));
              return self.native->prepare(nodes, span_of(roots));
            });
            self.native->score(*queries, span_of(out), threads, observer);
          },
          "forest"_a, "roots"_a.noconvert(), "out"_a.noconvert(), "threads"_a, "progress"_a.none() = nb::none());
}

}  // namespace gristmill
