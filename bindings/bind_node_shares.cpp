// SPDX-License-Identifier: BSD-3-Clause
#include "bind_trees.hpp"
#include "call.hpp"
#include "explain/node_shares.hpp"
#include "module.hpp"

namespace gristmill::bindings::bind_node_shares {

using namespace nb::literals;
using namespace explain;

namespace {

struct BoundShares {
  IndexedForest indexed;
  NodeShares native;

  BoundShares(const kernel::trees::TreeKernel& kernel, const IndexedForest& support, const Array<double>& coef,
              std::size_t outputs)
      : indexed(support), native(kernel, support.index, checked(coef, support, outputs), outputs) {}

  static std::span<const double> checked(const Array<double>& coef, const IndexedForest& support, std::size_t outputs) {
    if (coef.size() != support.index->trees() * outputs) throw std::invalid_argument("coef has the wrong size");
    return span_of(coef);
  }

  void explain(const SharedForest& forest, const Roots& roots, const OutMatrix& rooted, const OutMatrix& shared,
               std::size_t threads, Observer& observer) const {
    const forest::TreeQueries queries = indexed.queries(forest, roots, native.kernel().knows_equals());
    const std::size_t wanted = NodeShares::nodes(queries) * native.outputs();
    if (rooted.size() != wanted || (shared.size() != wanted && shared.size() != 0)) {
      throw std::invalid_argument("shares have the wrong size");
    }
    native.explain(queries, span_of(rooted), span_of(shared), threads, observer);
  }
};

}  // namespace

void add_to(nb::module_& m) {
  nb::class_<BoundShares>(m, "NodeShares")
      .def(
          "__init__",
          [](BoundShares* self, const kernel::trees::TreeKernel& kernel, const IndexedForest& indexed,
             const Array<double>& coef,
             std::size_t outputs) { without_gil([&] { new (self) BoundShares(kernel, indexed, coef, outputs); }); },
          "kernel"_a, "indexed"_a, "coef"_a.noconvert(), "outputs"_a)
      .def_prop_ro("nbytes", [](const BoundShares& self) { return self.native.nbytes(); })
      .def(
          "explain",
          [](const BoundShares& self, const SharedForest& forest, const Roots& roots, const OutMatrix& rooted,
             const OutMatrix& shared, std::size_t threads, nb::object progress) {
            watched(std::move(progress),
                    [&](Observer& observer) { self.explain(forest, roots, rooted, shared, threads, observer); });
          },
          "forest"_a, "roots"_a.noconvert(), "rooted"_a.noconvert(), "shared"_a.noconvert(), "threads"_a,
          progress_arg(),
          "Both are nodes in pre-order, tree after tree, x outputs; `shared` is not computed where it is empty.");
}

}  // namespace gristmill::bindings::bind_node_shares
