// SPDX-License-Identifier: BSD-3-Clause
// The Delta vectors of one worker: those of the tree at hand for as long as a parent needs them, those of subtrees that
// other trees have too for as long as there is room.
#pragma once
#include <memory>
#include <vector>

#include "base/stop.hpp"
#include "forest/tree_queries.hpp"

namespace gristmill::kernel::trees {

template <class Deltas>
class DeltaCache {
 public:
  using Vector = typename Deltas::Vector;

  explicit DeltaCache(const Deltas& deltas) : deltas_(deltas), scratch_(deltas.make_scratch()) {}

  // How much may be kept from tree to tree.
  void limit(std::size_t max_bytes) noexcept { max_bytes_ = max_bytes; }

  // use(v, count, vector) for every subtree of the tree that has a vector, extended to what is known. What is kept from
  // tree to tree belongs to these queries: forget() before others.
  template <class Use>
  void run(const forest::TreeQueries& queries, std::size_t tree, std::span<const std::uint32_t> known, Pulse& pulse,
           Use use) {
    const forest::TreeSet& set = queries.set();
    if (full_) forget();
    if (slots_.size() < set.subtrees()) {
      slots_.resize(set.subtrees());
      parents_.resize(set.subtrees(), 0);
      is_kept_.resize(set.subtrees(), false);
    }
    for (const forest::TreeSet::Part& part : set.parts(tree)) {
      for (const forest::SubtreeId child : set.children(part.subtree)) ++parents_[child];
    }
    for (const forest::TreeSet::Part& part : set.parts(tree)) {
      const forest::SubtreeId v = part.subtree;
      if (deltas_.has_vector(queries, v)) {
        pulse(vector_steps);
        Vector& vector = vector_of(v);
        deltas_.extend(queries, v, known, slots_, vector, scratch_, pulse);
        use(v, part.count, vector);
      }
      for (const forest::SubtreeId child : set.children(v)) {
        if (--parents_[child] == 0) release(child, queries.is_shared(child));
      }
    }
    release(set.root(tree), queries.is_shared(set.root(tree)));
  }

  // Subtrees that were common once need not be so any more.
  void forget() {
    for (const forest::SubtreeId v : kept_) {
      slots_[v].reset();
      is_kept_[v] = false;
    }
    kept_.clear();
    bytes_ = 0;
    full_ = false;
  }

  [[nodiscard]] typename Deltas::Scratch& scratch() noexcept { return scratch_; }

 private:
  static constexpr std::size_t vector_steps = 1024;  // what a vector takes, roughly
  static constexpr std::size_t most_spare = 64;      // vectors

  Vector& vector_of(forest::SubtreeId v) {
    if (slots_[v] != nullptr) {
      bytes_ -= slots_[v]->nbytes();
    } else if (spare_.empty()) {
      slots_[v] = std::make_unique<Vector>();
    } else {
      slots_[v] = std::move(spare_.back());
      spare_.pop_back();
      slots_[v]->clear();
    }
    return *slots_[v];
  }

  void release(forest::SubtreeId v, bool is_shared) {
    if (slots_[v] == nullptr) return;
    const std::size_t bytes = slots_[v]->nbytes();
    if (is_shared && bytes_ + bytes <= max_bytes_) {
      bytes_ += bytes;
      if (!is_kept_[v]) kept_.push_back(v);
      is_kept_[v] = true;
      return;
    }
    full_ = full_ || (is_shared && max_bytes_ > 0);
    if (spare_.size() < most_spare) spare_.push_back(std::move(slots_[v]));
    slots_[v].reset();
  }

  const Deltas& deltas_;
  std::size_t max_bytes_ = 0;
  typename Deltas::Scratch scratch_;
  std::size_t bytes_ = 0;  // of those kept
  std::vector<std::unique_ptr<Vector>> slots_;
  std::vector<std::uint32_t> parents_;  // in the tree at hand, still to come
  std::vector<std::unique_ptr<Vector>> spare_;
  std::vector<forest::SubtreeId> kept_;
  std::vector<bool> is_kept_;
  bool full_ = false;  // a vector that should have been kept was not
};

}  // namespace gristmill::kernel::trees
