// SPDX-License-Identifier: BSD-3-Clause
// A forest that Python threads share: readers and writers take turns. Whoever waits for the lock has given up the GIL.
#pragma once
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <stdexcept>
#include <utility>

#include "arrays.hpp"
#include "forest/forest.hpp"

namespace gristmill::bindings {

using Roots = Array<forest::NodeId>;

class SharedForest {
 public:
  // f(forest), alone.
  template <class Work>
  auto write(Work work) {
    const std::unique_lock lock(mutex_);
    return work(*forest_);
  }
  // f(forest), perhaps beside others who read.
  template <class Work>
  auto read(Work work) const {
    const std::shared_lock lock(mutex_);
    return work(std::as_const(*forest_));
  }
  // f(one, other), beside others who read; both locks are taken at once, so that nobody waits in a circle.
  template <class Work>
  static auto read_both(const SharedForest& one, const SharedForest& other, Work work) {
    if (&one == &other) return one.read([&](const forest::Forest& forest) { return work(forest, forest); });
    std::shared_lock first(one.mutex_, std::defer_lock);
    std::shared_lock second(other.mutex_, std::defer_lock);
    std::lock(first, second);
    return work(std::as_const(*one.forest_), std::as_const(*other.forest_));
  }
  // To be used within read() only.
  [[nodiscard]] std::shared_ptr<const forest::Forest> pointer() const { return forest_; }

 private:
  std::shared_ptr<forest::Forest> forest_ = std::make_shared<forest::Forest>();
  mutable std::shared_mutex mutex_;
};

// Throws std::invalid_argument for what is no node of the forest.
inline void check_roots(const forest::Forest& forest, std::span<const forest::NodeId> roots) {
  for (const forest::NodeId root : roots) {
    if (root >= forest.size()) throw std::invalid_argument("a root is no node of the forest");
  }
}

}  // namespace gristmill::bindings
