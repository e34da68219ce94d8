// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/shared_ptr.h>

#include "arrays.hpp"
#include "bind_buffers.hpp"
#include "bind_forest.hpp"
#include "call.hpp"
#include "module.hpp"
#include "score/trees/scorer.hpp"

namespace gristmill::bindings::bind_forest_scorer {

using namespace nb::literals;
using namespace score::trees;

namespace {

// A scorer with the forest of its support trees.
struct BoundScorer {
  std::shared_ptr<const SharedForest> forest;
  std::unique_ptr<const ForestScorer> native;

  // make(machine), while nobody writes to the forest.
  template <class Make>
  BoundScorer(const kernel::trees::TreeKernel& kernel, std::shared_ptr<const SharedForest> trees, const Roots& roots,
              std::size_t outputs, Make make)
      : forest(std::move(trees)), native(forest->read([&](const forest::Forest& nodes) {
          check_roots(nodes, span_of(roots));
          if (outputs == 0) throw std::invalid_argument("a machine has at least one output");
          return make(ForestMachine{kernel, forest->pointer(), span_of(roots), {}, outputs});
        })) {}
};

std::span<const double> checked(const Array<double>& coef, const ForestMachine& machine) {
  if (coef.size() != machine.roots.size() * machine.outputs) throw std::invalid_argument("coef has the wrong size");
  return span_of(coef);
}

// None where it has none.
nb::object arrays_of(nb::handle self) {
  const ListTables* tables = nb::cast<const BoundScorer&>(self).native->tables();
  if (tables == nullptr) return nb::none();
  Arrays arrays;
  tables->for_each([&](const char* name, const auto& buffer) { arrays[name] = bytes_of(buffer, self); });
  return arrays;
}

BoundScorer restore(const kernel::trees::TreeKernel& kernel, std::shared_ptr<SharedForest> forest, const Roots& roots,
                    std::size_t outputs, const Arrays& arrays) {
  ListTables tables{borrow<std::uint32_t>(arrays, "code"),  borrow<double>(arrays, "weights"),
                    borrow<std::uint32_t>(arrays, "roots"), borrow<double>(arrays, "values"),
                    borrow<double>(arrays, "folded"),       borrow<double>(arrays, "labels")};
  return without_gil([&] {
    return BoundScorer(kernel, std::move(forest), roots, outputs,
                       [&](const ForestMachine& machine) { return restore_list_scorer(machine, std::move(tables)); });
  });
}

}  // namespace

void add_to(nb::module_& m) {
  nb::class_<BoundScorer>(m, "ForestScorer")
      .def_static(
          "by_lists",
          [](const kernel::trees::TreeKernel& kernel, std::shared_ptr<SharedForest> forest, const Roots& roots,
             const Array<double>& coef, std::size_t outputs, std::size_t max_bytes, std::size_t max_steps,
             nb::object progress) {
            return watched(std::move(progress), [&](Observer& observer) {
              return BoundScorer(kernel, std::move(forest), roots, outputs, [&](ForestMachine machine) {
                machine.coef = checked(coef, machine);
                return make_list_scorer(machine, {max_bytes, max_steps, 1}, observer);
              });
            });
          },
          "kernel"_a, "forest"_a, "roots"_a.noconvert(), "coef"_a.noconvert(), "outputs"_a, "max_bytes"_a,
          "max_steps"_a, progress_arg())
      .def_static(
          "by_vectors",
          [](const kernel::trees::TreeKernel& kernel, std::shared_ptr<SharedForest> forest, const Roots& roots,
             const Array<double>& coef, std::size_t outputs) {
            return without_gil([&] {
              return BoundScorer(kernel, std::move(forest), roots, outputs, [&](ForestMachine machine) {
                machine.coef = checked(coef, machine);
                return make_delta_scorer(machine);
              });
            });
          },
          "kernel"_a, "forest"_a, "roots"_a.noconvert(), "coef"_a.noconvert(), "outputs"_a)
      .def_static("restore", &restore, "kernel"_a, "forest"_a, "roots"_a.noconvert(), "outputs"_a, "arrays"_a)
      .def("arrays", &arrays_of)
      .def_prop_ro("n_rows",
                   [](const BoundScorer& self) {
                     const ListTables* tables = self.native->tables();
                     return tables == nullptr ? 0 : tables->weights.size() / self.native->outputs();
                   })
      .def_prop_ro("nbytes", [](const BoundScorer& self) { return self.native->nbytes(); })
      .def(
          "score",
          [](const BoundScorer& self, const SharedForest& forest, const Roots& roots, const OutMatrix& out,
             std::size_t threads, nb::object progress) {
            watched(std::move(progress), [&](Observer& observer) {
              const auto queries = SharedForest::read_both(*self.forest, forest,
                                                           [&](const forest::Forest&, const forest::Forest& nodes) {
                                                             check_roots(nodes, span_of(roots));
                                                             return self.native->prepare(nodes, span_of(roots));
                                                           });
              self.native->score(*queries, span_of(out), threads, observer);
            });
          },
          "forest"_a, "roots"_a.noconvert(), "out"_a.noconvert(), "threads"_a, progress_arg());
}

}  // namespace gristmill::bindings::bind_forest_scorer
