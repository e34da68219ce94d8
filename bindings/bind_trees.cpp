// SPDX-License-Identifier: BSD-3-Clause
#include "bind_trees.hpp"

#include <nanobind/stl/shared_ptr.h>

#include "call.hpp"
#include "kernel/trees/tree_direct.hpp"
#include "kernel/trees/tree_rows.hpp"
#include "module.hpp"

namespace gristmill::bindings::bind_trees {

using namespace nb::literals;
using namespace kernel::trees;

namespace {

struct BoundRows {
  TreeKernel kernel;
  IndexedForest indexed;
  std::unique_ptr<TreeRows> rows;
};

}  // namespace

void add_to(nb::module_& m) {
  nb::enum_<TreeKernel::Family>(m, "TreeFamily")
      .value("identity", TreeKernel::Family::identity)
      .value("production", TreeKernel::Family::production)
      .value("sequence", TreeKernel::Family::sequence);
  nb::class_<TreeKernel>(m, "TreeKernel")
      .def(
          "__init__",
          [](TreeKernel* self, TreeKernel::Family family, double factor, double base, double gap, double first,
             double step, std::size_t longest, double leaves, double single_nodes, bool marked, bool constants,
             double terminals) {
            new (self) TreeKernel{family, marked, constants, factor, base,         gap,
                                  first,  step,   longest,   leaves, single_nodes, terminals};
          },
          "family"_a, "factor"_a, "base"_a = 1.0, "gap"_a = 1.0, "first"_a = 1.0, "step"_a = 1.0, "longest"_a = 0,
          "leaves"_a = 0.0, "single_nodes"_a = 0.0, "marked"_a = false, "constants"_a = true, "terminals"_a = 1.0);

  nb::class_<IndexedForest>(m, "IndexedForest")
      .def(
          "__init__",
          [](IndexedForest* self, std::shared_ptr<SharedForest> forest, const Roots& roots) {
            without_gil([&] { new (self) IndexedForest(std::move(forest), roots); });
          },
          "forest"_a, "roots"_a.noconvert())
      .def_prop_ro("n_subtrees", [](const IndexedForest& self) { return self.index->size(); })
      .def_prop_ro("n_labels", [](const IndexedForest& self) { return self.index->labels(); })
      .def_prop_ro("n_productions",
                   [](const IndexedForest& self) {
                     return std::ranges::count_if(self.index->productions(),
                                                  [](const auto& p) { return !p.is_leaf(); });
                   })
      .def_prop_ro("nbytes", [](const IndexedForest& self) { return self.index->nbytes(); });

  nb::class_<BoundRows>(m, "TreeRows")
      .def(
          "__init__",
          [](BoundRows* self, const TreeKernel& kernel, const IndexedForest& indexed, std::size_t max_bytes) {
            without_gil(
                [&] { new (self) BoundRows{kernel, indexed, make_tree_rows(kernel, indexed.index, max_bytes)}; });
          },
          "kernel"_a, "indexed"_a, "max_bytes"_a)
      .def("__len__", [](const BoundRows& self) { return self.rows->size(); })
      .def_prop_ro("nbytes", [](const BoundRows& self) { return self.rows->nbytes(); })
      .def(
          "fill",
          [](const BoundRows& self, const SharedForest& forest, const Roots& roots, const Array<double>& query_scales,
             const Array<double>& tree_scales, const OutMatrix& out, std::size_t threads, nb::object progress) {
            watched(std::move(progress), [&](Observer& observer) {
              self.rows->fill(self.indexed.queries(forest, roots, self.kernel.knows_equals()), span_of(query_scales),
                              span_of(tree_scales), span_of(out), threads, observer);
            });
          },
          "forest"_a, "roots"_a.noconvert(), "query_scales"_a.noconvert(), "tree_scales"_a.noconvert(),
          "out"_a.noconvert(), "threads"_a, progress_arg())
      .def(
          "fill_own",
          [](const BoundRows& self, const Array<std::uint32_t>& numbers, const Array<double>& scales,
             const OutMatrix& out, std::size_t threads, nb::object progress) {
            for (std::size_t at = 0; at < numbers.size(); ++at) {
              if (numbers(at) >= self.rows->size()) throw std::invalid_argument("no such row");
            }
            watched(std::move(progress), [&](Observer& observer) {
              self.rows->fill_own(span_of(numbers), span_of(scales), span_of(out), threads, observer);
            });
          },
          "numbers"_a.noconvert(), "scales"_a.noconvert(), "out"_a.noconvert(), "threads"_a, progress_arg())
      .def(
          "fill_lower",
          [](const BoundRows& self, std::size_t begin, std::size_t end, const Array<double>& scales,
             const OutMatrix& out, std::size_t threads, nb::object progress) {
            if (begin > end || end > self.rows->size()) throw std::invalid_argument("no such rows");
            watched(std::move(progress), [&](Observer& observer) {
              self.rows->fill_lower(begin, end, span_of(scales), span_of(out), threads, observer);
            });
          },
          "begin"_a, "end"_a, "scales"_a.noconvert(), "out"_a.noconvert(), "threads"_a, progress_arg())
      .def(
          "fill_symmetric",
          [](const BoundRows& self, const Array<double>& scales, const OutMatrix& out, std::size_t threads,
             nb::object progress) {
            watched(std::move(progress), [&](Observer& observer) {
              self.rows->fill_symmetric(span_of(scales), span_of(out), threads, observer);
            });
          },
          "scales"_a.noconvert(), "out"_a.noconvert(), "threads"_a, progress_arg());

  m.def(
      "tree_direct",
      [](const TreeKernel& kernel, const IndexedForest& indexed, const SharedForest& forest, const Roots& roots,
         const OutMatrix& out, std::size_t threads, nb::object progress, bool lookup, bool production_ids) {
        const PairSearch search{lookup, production_ids};
        watched(std::move(progress), [&](Observer& observer) {
          direct_gram(kernel, *indexed.index, indexed.queries(forest, roots, false), span_of(out), threads, observer,
                      search);
        });
      },
      "kernel"_a, "indexed"_a, "forest"_a, "roots"_a.noconvert(), "out"_a.noconvert(), "threads"_a, progress_arg(),
      "lookup"_a = true, "production_ids"_a = true);
  m.def(
      "tree_diagonal",
      [](const TreeKernel& kernel, const IndexedForest& indexed, const OutVector& out, std::size_t threads,
         nb::object progress) {
        watched(std::move(progress),
                [&](Observer& observer) { direct_diagonal(kernel, *indexed.index, span_of(out), threads, observer); });
      },
      "kernel"_a, "indexed"_a, "out"_a.noconvert(), "threads"_a, progress_arg());
}

}  // namespace gristmill::bindings::bind_trees
