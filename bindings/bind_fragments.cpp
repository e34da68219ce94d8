// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "bind_trees.hpp"
#include "call.hpp"
#include "mine/fragments/fragment_counts.hpp"
#include "mine/fragments/heaviest_fragments.hpp"
#include "module.hpp"

namespace gristmill::bindings::bind_fragments {

using namespace nb::literals;
using namespace mine::fragments;

namespace {

using Numbers = Array<std::uint32_t>;

// The fragments' trees and their roots; weights, outputs, sizes, trees and embeddings.
using Found =
    std::tuple<std::shared_ptr<SharedForest>, NumpyArray<forest::NodeId>, NumpyArray<double>, NumpyArray<std::uint32_t>,
               NumpyArray<std::int64_t>, NumpyArray<std::int64_t>, NumpyArray<double>>;

Found arrays_of(FragmentTrees& trees, const std::vector<HeavyFragment>& fragments) {
  const auto column = [&](auto value_of) {
    std::vector<decltype(value_of(fragments.front()))> values;
    for (const HeavyFragment& one : fragments) values.push_back(value_of(one));
    return to_numpy(std::move(values));
  };
  auto forest = std::make_shared<SharedForest>();
  forest->write([&](forest::Forest& own) { own = trees.take(); });
  return {std::move(forest),
          column([](const HeavyFragment& one) { return one.root; }),
          column([](const HeavyFragment& one) { return one.weight; }),
          column([](const HeavyFragment& one) { return one.output; }),
          column([](const HeavyFragment& one) { return static_cast<std::int64_t>(one.size); }),
          column([](const HeavyFragment& one) { return static_cast<std::int64_t>(one.support); }),
          column([](const HeavyFragment& one) { return one.embeddings; })};
}

void check(const TreeCoefficients& coef, std::size_t trees) {
  const auto is_output = [&](std::int32_t output) {
    return output >= 0 && static_cast<std::size_t>(output) < coef.n_outputs;
  };
  if (coef.starts.size() != trees + 1 || !std::ranges::is_sorted(coef.starts) || coef.starts.front() != 0 ||
      static_cast<std::size_t>(coef.starts.back()) != coef.values.size() || coef.outputs.size() != coef.values.size() ||
      !std::ranges::all_of(coef.outputs, is_output)) {
    throw std::invalid_argument("coefficients must be a sparse matrix of trees x outputs");
  }
}

Found find_heaviest(const kernel::trees::TreeKernel& kernel, const IndexedForest& indexed,
                    const Array<std::int64_t>& starts, const Array<std::int32_t>& outputs, const Array<double>& values,
                    std::size_t n_outputs, std::size_t top, double least, std::size_t min_support, std::size_t max_size,
                    std::size_t max_fragments, std::size_t threads, nb::object progress) {
  const TreeCoefficients coef{span_of(starts), span_of(outputs), span_of(values), n_outputs};
  check(coef, indexed.index->trees());
  const FragmentOptions options{top, least, min_support, max_size, max_fragments};
  auto [trees, found] = watched(std::move(progress), [&](Observer& observer) {
    FragmentTrees own = indexed.forest->read([&](const forest::Forest&) { return FragmentTrees(*indexed.index); });
    std::vector<HeavyFragment> all = heaviest_fragments(kernel, *indexed.index, coef, options, own, threads, observer);
    return std::pair(std::move(own), std::move(all));
  });
  return arrays_of(trees, found);
}

void carry(const kernel::trees::TreeKernel& kernel, const IndexedForest& indexed, const SharedForest& forest,
           const Roots& roots, const Numbers& outputs, const Array<double>& weights, const OutMatrix& coverage,
           const OutMatrix& magnitudes, const OutMatrix& embeddings, nb::object progress) {
  const std::size_t n_outputs = coverage.shape(1);
  for (const OutMatrix& out : {coverage, magnitudes, embeddings}) {
    if (out.shape(0) != indexed.index->trees() || out.shape(1) != n_outputs) {
      throw std::invalid_argument("out has another shape");
    }
  }
  const auto is_output = [&](std::uint32_t output) { return output < n_outputs; };
  if (outputs.size() != roots.size() || weights.size() != roots.size() ||
      !std::ranges::all_of(span_of(outputs), is_output)) {
    throw std::invalid_argument("fragments need an output and a weight each");
  }
  watched(std::move(progress), [&](Observer& observer) {
    sum_fragments(kernel, *indexed.index, indexed.queries(forest, roots, kernel.knows_equals()),
                  {span_of(outputs), span_of(weights), n_outputs},
                  {span_of(coverage), span_of(magnitudes), span_of(embeddings)}, observer);
  });
}

void count_all(const kernel::trees::TreeKernel& kernel, const IndexedForest& indexed, const OutVector& out) {
  if (out.size() != indexed.index->trees()) throw std::invalid_argument("out has another size");
  without_gil([&] { count_all_fragments(kernel, *indexed.index, span_of(out)); });
}

}  // namespace

void add_to(nb::module_& m) {
  m.def("heaviest_fragments", &find_heaviest, "kernel"_a, "indexed"_a, "starts"_a.noconvert(), "outputs"_a.noconvert(),
        "values"_a.noconvert(), "n_outputs"_a, "top"_a, "least"_a, "min_support"_a, "max_size"_a, "max_fragments"_a,
        "threads"_a, progress_arg());
  m.def("sum_fragments", &carry, "kernel"_a, "indexed"_a, "forest"_a, "roots"_a.noconvert(), "outputs"_a.noconvert(),
        "weights"_a.noconvert(), "coverage"_a.noconvert(), "magnitudes"_a.noconvert(), "embeddings"_a.noconvert(),
        progress_arg());
  m.def("count_all_fragments", &count_all, "kernel"_a, "indexed"_a, "out"_a.noconvert());
}

}  // namespace gristmill::bindings::bind_fragments
