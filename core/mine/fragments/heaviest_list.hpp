// SPDX-License-Identifier: BSD-3-Clause
// The heaviest fragments found so far, by all threads. Their order is total: by |weight|, then the smaller, then by
// text, then by output; so what is kept does not depend on the order in which fragments are found.
#pragma once
#include <atomic>
#include <cmath>
#include <mutex>

#include "mine/fragments/fragment_trees.hpp"

namespace gristmill::mine::fragments {

struct HeavyFragment {
  double weight;  // what one embedding without gaps adds to the output
  std::uint32_t output;
  std::uint64_t size;     // nodes or productions
  std::uint64_t support;  // trees that have it and a coefficient for the output
  double embeddings;      // in those
  forest::NodeId root = forest::Forest::none;
  std::string text{};
};

class HeaviestList {
 public:
  // The `top` heaviest of those that weigh `least` or more; top = 0: all of them, but no more than `most`. What weighs
  // nothing is never kept.
  HeaviestList(FragmentTrees& trees, std::size_t top, double least, std::size_t most);

  // What weighs less is not kept.
  [[nodiscard]] double threshold() const noexcept { return threshold_.load(std::memory_order_relaxed); }

  // add(trees) makes the tree and returns its root. Throws std::length_error for too many, std::range_error for a
  // weight that is no number.
  template <class Add>
  void offer(HeavyFragment fragment, Add add) {
    if (fragment.weight == 0 || std::abs(fragment.weight) < threshold()) return;
    const std::lock_guard lock(mutex_);
    fragment.root = add(trees_);
    keep(std::move(fragment));
  }

  // Heaviest first.
  [[nodiscard]] std::vector<HeavyFragment> take();

 private:
  void keep(HeavyFragment fragment);

  FragmentTrees& trees_;
  std::size_t top_;
  std::size_t most_;
  std::mutex mutex_;
  std::atomic<double> threshold_;
  std::vector<HeavyFragment> kept_;  // with a top: a heap, the lightest first
};

}  // namespace gristmill::mine::fragments
