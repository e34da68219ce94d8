// SPDX-License-Identifier: BSD-3-Clause
// Which production (a label with the labels of its children) each subtree has. Grows with the subtrees; numbers stay.
#pragma once
#include <algorithm>

#include "forest/subtrees.hpp"

namespace gristmill::forest {

using ProductionId = std::uint32_t;

class Productions {
 public:
  static constexpr ProductionId none = SequenceTable<std::uint32_t>::none;

  // Covers the subtrees that have come since.
  void add(const Forest& forest, const Subtrees& subtrees) {
    std::vector<std::uint32_t> key;
    for (auto id = static_cast<SubtreeId>(of_.size()); id < subtrees.subtrees(); ++id) {
      key.assign(1, subtrees.label(id));
      for (const SubtreeId child : subtrees.children(id)) key.push_back(subtrees.label(child));
      of_.push_back(keys_.intern(key));
      if (of_.back() < marked_.size()) continue;
      const auto is_marked = [&](Symbol symbol) { return forest.symbols().mark(symbol) != 0; };
      marked_.push_back(std::ranges::any_of(key, is_marked));
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return keys_.size(); }
  [[nodiscard]] ProductionId of(SubtreeId id) const noexcept { return of_[id]; }
  // The production of these symbols, or none.
  [[nodiscard]] ProductionId find(std::span<const Symbol> label_and_children) const noexcept {
    return keys_.find(label_and_children);
  }
  [[nodiscard]] bool is_marked(ProductionId production) const noexcept { return marked_[production]; }
  [[nodiscard]] std::size_t nbytes() const noexcept {
    return keys_.nbytes() + of_.size() * sizeof(ProductionId) + marked_.size() / 8;
  }

 private:
  SequenceTable<std::uint32_t> keys_;  // symbols: label, then those of the children
  std::vector<ProductionId> of_;       // subtrees
  std::vector<bool> marked_;           // whether a symbol of it is
};

}  // namespace gristmill::forest
