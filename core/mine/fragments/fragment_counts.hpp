// SPDX-License-Identifier: BSD-3-Clause
// How often trees have given fragments, and how many fragments they have in all: embeddings, each gap^(children
// skipped). With their weights, what a list of fragments carries of a score; without, what it may leave out.
#pragma once
#include "base/observer.hpp"
#include "forest/tree_queries.hpp"
#include "kernel/trees/tree_kernel.hpp"

namespace gristmill::mine::fragments {

// Fragments with the outputs they have a weight for.
struct WeightedFragments {
  std::span<const std::uint32_t> outputs;
  std::span<const double> weights;
  std::size_t n_outputs;
};

// Sums over the fragments, of every tree of the index and every output, row-major.
struct FragmentSums {
  std::span<double> coverage;    // weight * embeddings
  std::span<double> magnitudes;  // |weight| * embeddings
  std::span<double> embeddings;
};

// `fragments` are queries to the index, with known subtrees for ST; the sums must be 0.
// Cost: for each fragment its nodes times the different subtrees with their production, or label.
void sum_fragments(const kernel::trees::TreeKernel& kernel, const forest::SubtreeIndex& index,
                   const forest::TreeQueries& fragments, const WeightedFragments& weighted, const FragmentSums& out,
                   Observer& observer);

// Embeddings of all fragments that count for the kernel, per tree; may be infinite.
void count_all_fragments(const kernel::trees::TreeKernel& kernel, const forest::SubtreeIndex& index,
                         std::span<double> out);

}  // namespace gristmill::mine::fragments
