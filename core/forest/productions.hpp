// SPDX-License-Identifier: BSD-3-Clause
// Productions (a label with the labels of its children), numbered in order of arrival. Grows; numbers stay.
#pragma once
#include <algorithm>

#include "forest/subtrees.hpp"

namespace gristmill::forest {

using ProductionId = std::uint32_t;

class ProductionTable {
 public:
  static constexpr ProductionId none = SequenceTable<Symbol>::none;

  // The production of a subtree, a new one if it was not there.
  ProductionId intern(const Forest& forest, const Subtrees& subtrees, SubtreeId id) {
    key_.assign(1, subtrees.label(id));
    for (const SubtreeId child : subtrees.children(id)) key_.push_back(subtrees.label(child));
    const ProductionId production = keys_.intern(key_);
    if (production == marked_.size()) {
      marked_.push_back(std::ranges::any_of(key_, [&](Symbol one) { return forest.symbols().mark(one) != 0; }));
    }
    return production;
  }

  [[nodiscard]] std::size_t size() const noexcept { return keys_.size(); }
  // The symbol of the label, then those of the children.
  [[nodiscard]] std::span<const Symbol> symbols(ProductionId production) const noexcept { return keys_[production]; }
  // The production of such symbols, or none.
  [[nodiscard]] ProductionId find(std::span<const Symbol> symbols) const noexcept { return keys_.find(symbols); }
  // Whether a symbol of it is.
  [[nodiscard]] bool is_marked(ProductionId production) const noexcept { return marked_[production]; }
  [[nodiscard]] std::size_t nbytes() const noexcept { return keys_.nbytes() + marked_.size() / 8; }

 private:
  SequenceTable<Symbol> keys_;
  std::vector<bool> marked_;
  std::vector<Symbol> key_;  // spares an allocation
};

// With the production of each subtree.
class Productions : public ProductionTable {
 public:
  // Covers the subtrees that have come since.
  void add(const Forest& forest, const Subtrees& subtrees) {
    for (auto id = static_cast<SubtreeId>(of_.size()); id < subtrees.subtrees(); ++id) {
      of_.push_back(intern(forest, subtrees, id));
    }
  }

  [[nodiscard]] ProductionId of(SubtreeId id) const noexcept { return of_[id]; }
  [[nodiscard]] std::size_t total_bytes() const noexcept {
    return ProductionTable::nbytes() + of_.size() * sizeof(ProductionId);
  }

 private:
  std::vector<ProductionId> of_;
};

}  // namespace gristmill::forest
