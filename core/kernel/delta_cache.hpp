// SPDX-License-Identifier: BSD-3-Clause
// The Delta vectors of one worker: those of the tree at hand for as long as a parent needs them, those of subtrees that
// other trees have too for as long as there is room.
#pragma once
#include <memory>
#include <vector>

#include "kernel/tree_queries.hpp"

namespace gristmill {

template <class Deltas>
class DeltaCache {
 public:
  using Vector = typename Deltas::Vector;

  DeltaCache(const Deltas& deltas, const TreeQueries& queries, std::size_t max_bytes)
      : deltas_(deltas),
        queries_(queries),
        max_bytes_(max_bytes),
        scratch_(deltas.make_scratch()),
        slots_(queries.set().subtrees()),
        parents_(queries.set().subtrees(), 0) {}

  // use(v, count, vector) for every subtree of the tree that has a vector, extended to what is known; poll(steps) is
  // called before each.
  template <class Use, class Poll>
  void run(std::size_t tree, std::span<const std::uint32_t> known, Use use, Poll poll) {
    const TreeSet& set = queries_.set();
    if (full_) forget();
    for (const TreeSet::Part& part : set.parts(tree)) {
      for (const SubtreeId child : set.children(part.subtree)) ++parents_[child];
    }
    for (const TreeSet::Part& part : set.parts(tree)) {
      const SubtreeId v = part.subtree;
      if (deltas_.has_vector(queries_, v)) {
        poll(vector_steps);
        Vector& vector = vector_of(v);
        deltas_.extend(
            queries_, v, known, [&](SubtreeId child) { return slots_[child].get(); }, vector, scratch_, poll);
        use(v, part.count, vector);
      }
      for (const SubtreeId child : set.children(v)) {
        if (--parents_[child] == 0) release(child);
      }
    }
    release(set.root(tree));
  }

  [[nodiscard]] typename Deltas::Scratch& scratch() noexcept { return scratch_; }

 private:
  static constexpr std::size_t vector_steps = 1024;  // what a vector takes, roughly

  Vector& vector_of(SubtreeId v) {
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

  void release(SubtreeId v) {
    if (slots_[v] == nullptr) return;
    const std::size_t bytes = slots_[v]->nbytes();
    if (queries_.is_shared(v) && bytes_ + bytes <= max_bytes_) {
      bytes_ += bytes;
      kept_.push_back(v);
    } else {
      full_ = full_ || queries_.is_shared(v);
      spare_.push_back(std::move(slots_[v]));
    }
  }

  // Subtrees that were common once need not be so any more.
  void forget() {
    for (const SubtreeId v : kept_) slots_[v].reset();
    kept_.clear();
    bytes_ = 0;
    full_ = false;
  }

  const Deltas& deltas_;
  const TreeQueries& queries_;
  std::size_t max_bytes_;
  typename Deltas::Scratch scratch_;
  std::size_t bytes_ = 0;  // of those kept
  std::vector<std::unique_ptr<Vector>> slots_;
  std::vector<std::uint32_t> parents_;  // in the tree at hand, still to come
  std::vector<std::unique_ptr<Vector>> spare_;
  std::vector<SubtreeId> kept_;  // some more than once
  bool full_ = false;            // a vector that should have been kept was not
};

}  // namespace gristmill
