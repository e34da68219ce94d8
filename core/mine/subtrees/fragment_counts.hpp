// SPDX-License-Identifier: BSD-3-Clause
// How often trees have given fragments, and how many fragments they have in all: embeddings, each gap^(children
// skipped). With their weights, what a list of fragments carries of a score; without, what it may leave out.
#pragma once
#include "base/observer.hpp"
#include "kernel/tree_kernel.hpp"
#include "kernel/tree_queries.hpp"

namespace gristmill {

// Fragments with the outputs they have a weight for.
struct WeightedFragments {
  std::span<const std::uint32_t> outputs;
  std::span<const double> weights;
  std::size_t n_outputs;
};

// Sums over the fragments, of every tree of the index and every output, row-major.
struct CarriedSums {
  std::span<double> carried;     // weight * embeddings
  std::span<double> magnitudes;  // |weight| * embeddings
  std::span<double> embeddings;
};

// `fragments` are queries to the index, with known subtrees for ST; the sums must be 0.
// Cost: for each fragment its nodes times the different subtrees with their production, or label.
void carry_fragments(const TreeKernel& kernel, const SubtreeIndex& index, const TreeQueries& fragments,
                     const WeightedFragments& weighted, const CarriedSums& out, Observer& observer);

// Embeddings of all fragments that count for the kernel, per tree; may be infinite.
void count_all_fragments(const TreeKernel& kernel, const SubtreeIndex& index, std::span<double> out);

}  // namespace gristmill
