// SPDX-License-Identifier: BSD-3-Clause
// Tree kernels by their definition: Delta of every pair of nodes with equal labels, children first. What the fast ways
// are measured against, and how K(t, t) is found for one tree alone.
#pragma once
#include "base/observer.hpp"
#include "forest/tree_queries.hpp"
#include "kernel/trees/tree_kernel.hpp"

namespace gristmill::kernel::trees {

// How pairs of nodes are found. No way changes a bit: the plain ones are what the others are measured against.
struct PairSearch {
  bool lookup = true;          // only nodes with equal labels are looked at; else all pairs of nodes
  bool production_ids = true;  // productions are compared by their numbers; else label by label
};

// out: queries x trees of the index, row-major.
void direct_gram(const TreeKernel& kernel, const forest::SubtreeIndex& index, const forest::TreeQueries& queries,
                 std::span<double> out, std::size_t threads, Observer& observer, const PairSearch& search = {});

// K(t, t) of every tree of the index; infinite where it leaves the range of double.
void direct_diagonal(const TreeKernel& kernel, const forest::SubtreeIndex& index, std::span<double> out,
                     std::size_t threads, Observer& observer);

// K(t, s) of chosen pairs of trees of the index: for each t the trees s from starts[t] on in `others`, and out as
// these.
void direct_pairs(const TreeKernel& kernel, const forest::SubtreeIndex& index, std::span<const std::size_t> starts,
                  std::span<const std::uint32_t> others, std::span<double> out, std::size_t threads,
                  Observer& observer);

}  // namespace gristmill::kernel::trees
