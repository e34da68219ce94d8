// SPDX-License-Identifier: BSD-3-Clause
// A forest that Python threads share: readers and writers take turns. Whoever waits for the lock has given up the
// GIL.
#pragma once
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>

#include "arrays.hpp"
#include "forest/forest.hpp"
#include "fork_lock.hpp"

namespace gristmill::bindings {

using Roots = Array<forest::NodeId>;

class SharedForest {
 public:
  // f(forest), alone.
  template <class Work>
  auto write(Work work) {
    const ForkLock::Hold hold = lock_.write();
    return work(*forest_);
  }
  // f(forest), perhaps beside others who read.
  template <class Work>
  auto read(Work work) const {
    const ForkLock::Hold hold = lock_.read();
    return work(std::as_const(*forest_));
  }
  // f(one, other), beside others who read; nobody waits in a circle, for who changes a forest waits for no other.
  template <class Work>
  static auto read_both(const SharedForest& one, const SharedForest& other, Work work) {
    if (&one == &other) return one.read([&](const forest::Forest& forest) { return work(forest, forest); });
    const ForkLock::Hold first = one.lock_.read();
    const ForkLock::Hold second = other.lock_.read();
    return work(std::as_const(*one.forest_), std::as_const(*other.forest_));
  }
  // To be used within read() only.
  [[nodiscard]] std::shared_ptr<const forest::Forest> pointer() const { return forest_; }

 private:
  std::shared_ptr<forest::Forest> forest_ = std::make_shared<forest::Forest>();
  mutable ForkLock lock_;
};

// Throws std::invalid_argument for what is no node of the forest.
inline void check_roots(const forest::Forest& forest, std::span<const forest::NodeId> roots) {
  for (const forest::NodeId root : roots) {
    if (root >= forest.size()) throw std::invalid_argument("a root is no node of the forest");
  }
}

}  // namespace gristmill::bindings
