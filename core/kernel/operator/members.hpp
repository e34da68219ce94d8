// SPDX-License-Identifier: BSD-3-Clause
// The subtrees of every production (or label), by arrival.
#pragma once
#include <numeric>

#include "forest/productions.hpp"

namespace gristmill::kernel::gram {

class Members {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;  // the key of subtrees that are left out

  template <class KeyOf>
  Members(const forest::Subtrees& subtrees, std::size_t keys, KeyOf key_of) : starts_(keys + 1, 0) {
    const auto count = static_cast<forest::SubtreeId>(subtrees.subtrees());
    for (forest::SubtreeId id = 0; id < count; ++id) {
      if (const std::uint32_t key = key_of(id); key != none) ++starts_[key + 1];
    }
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    ids_.resize(starts_.back());
    std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
    for (forest::SubtreeId id = 0; id < count; ++id) {
      if (const std::uint32_t key = key_of(id); key != none) ids_[next[key]++] = id;
    }
  }

  [[nodiscard]] std::size_t keys() const noexcept { return starts_.size() - 1; }
  [[nodiscard]] std::span<const forest::SubtreeId> of(std::uint32_t key) const {
    return {ids_.data() + starts_[key], ids_.data() + starts_[key + 1]};
  }
  [[nodiscard]] std::size_t nbytes() const noexcept {
    return starts_.size() * sizeof(std::size_t) + ids_.size() * sizeof(forest::SubtreeId);
  }

 private:
  std::vector<std::size_t> starts_;
  std::vector<forest::SubtreeId> ids_;
};

[[nodiscard]] inline Members by_production(const forest::Subtrees& subtrees, const forest::Productions& productions,
                                           bool leaves) {
  return {subtrees, productions.size(), [&, leaves](forest::SubtreeId id) {
            return leaves || !subtrees.is_leaf(id) ? productions.of(id) : Members::none;
          }};
}

// Of labels that count.
template <class Counts>
[[nodiscard]] Members by_label(const forest::Subtrees& subtrees, std::size_t symbols, Counts counts) {
  return {subtrees, symbols, [&](forest::SubtreeId id) {
            const forest::Symbol label = subtrees.label(id);
            return counts(label) ? label : Members::none;
          }};
}

}  // namespace gristmill::kernel::gram
