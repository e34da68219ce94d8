// SPDX-License-Identifier: BSD-3-Clause
// The heaviest fragments of a machine on trees (PKE, Kudo and Matsumoto 2003, for trees instead of conjunctions).
//
//   f_o(T) = b_o + sum over fragments s of weight_o(s) * (embeddings of s in T, each gap^(children skipped)),
//   weight_o(s) = value(s) * sum_i a_io * (the same of support tree i),   value = decay^(productions or nodes), or for
//   PTK factor^nodes * base^leaves * first^(nodes with children) * step^(further children).
//
// Branch and bound over right-most expansion: a fragment is grown only if something that grows from it can weigh as
// much as what is kept, by the places it has and the room to grow there, for positive and for negative coefficients.
// Cost: what weighted growth costs, for each fragment that could be exceeded; fragments of ST are just all subtrees.
#pragma once
#include "base/observer.hpp"
#include "mine/fragments/heaviest_list.hpp"

namespace gristmill::mine::fragments {

// Those of the trees that are not 0, tree by tree.
struct TreeCoefficients {
  std::span<const std::int64_t> starts;
  std::span<const std::int32_t> outputs;
  std::span<const double> values;
  std::size_t n_outputs;
};

struct FragmentOptions {
  std::size_t top;  // 0: all that weigh `least` or more
  double least;
  std::size_t min_support;  // trees
  std::size_t max_size;     // nodes or productions; 0: any
  std::size_t most;         // fragments, if all are wanted
};

// Any tree kernel. The fragments' trees are added to `trees`, which must be made of the index. The number of threads
// changes nothing.
[[nodiscard]] std::vector<HeavyFragment> heaviest_fragments(const kernel::trees::TreeKernel& kernel,
                                                            const forest::SubtreeIndex& index,
                                                            const TreeCoefficients& coef,
                                                            const FragmentOptions& options, FragmentTrees& trees,
                                                            std::size_t threads, Observer& observer);

}  // namespace gristmill::mine::fragments
