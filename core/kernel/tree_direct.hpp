// SPDX-License-Identifier: BSD-3-Clause
// Tree kernels by their definition: Delta of every pair of nodes with equal labels, children first. What the fast ways
// are measured against, and how K(t, t) is found for one tree alone.
#pragma once
#include "base/observer.hpp"
#include "kernel/tree_kernel.hpp"
#include "kernel/tree_queries.hpp"

namespace gristmill {

// out: queries x trees of the index, row-major.
void direct_gram(const TreeKernel& kernel, const SubtreeIndex& index, const TreeQueries& queries, std::span<double> out,
                 std::size_t threads, Observer& observer);

// K(t, t) of every tree of the index; infinite where it leaves the range of double.
void direct_diagonal(const TreeKernel& kernel, const SubtreeIndex& index, std::span<double> out, std::size_t threads,
                     Observer& observer);

}  // namespace gristmill
