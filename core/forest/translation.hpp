// SPDX-License-Identifier: BSD-3-Clause
// What the nodes of any forest are among some known subtrees. Symbols are looked for once each; one small tree of a
// large forest costs what a small tree costs.
#pragma once
#include <algorithm>
#include <unordered_map>

#include "forest/subtrees.hpp"

namespace gristmill::forest {

class Translation {
 public:
  static constexpr std::uint32_t none = Forest::none;

  // From a forest, about so many trees of it, to subtrees of the forest `to`, which had so many symbols: others may
  // have come since.
  Translation(const Forest& from, std::size_t trees, const Forest& to, const Subtrees& known, std::size_t symbols)
      : from_(from),
        to_(to),
        known_(known),
        limit_(symbols),
        is_same_(&from == &to),
        few_symbols_(from.symbols().size() > many * (trees + 1)),
        symbols_(is_same_ || few_symbols_ ? 0 : from.symbols().size()) {
    std::ranges::fill(symbols_, unknown);
  }

  // Whether it is one forest, so that equal nodes have equal numbers.
  [[nodiscard]] bool is_same() const noexcept { return is_same_; }

  // The equal symbol, or none.
  [[nodiscard]] Symbol symbol(Symbol foreign) {
    if (is_same_) return foreign < limit_ ? foreign : none;
    Symbol& own = few_symbols_ ? some_symbols_.try_emplace(foreign, unknown).first->second : symbols_[foreign];
    if (own == unknown) {
      own = to_.symbols().find(from_.symbols().text(foreign), from_.symbols().mark(foreign));
      if (own >= limit_) own = absent;
    }
    return own == absent ? none : own;
  }

  // The known subtree with this symbol and these children, or none. subtree_of(child): its subtree; such as are not
  // known have no equal.
  template <class SubtreeOf>
  [[nodiscard]] SubtreeId equal(Symbol symbol, std::span<const std::uint32_t> children, SubtreeOf subtree_of) {
    if (symbol == none) return none;
    nodes_.clear();
    for (const std::uint32_t child : children) {
      const SubtreeId subtree = subtree_of(child);
      if (subtree >= known_.subtrees()) return none;
      nodes_.push_back(known_.node(subtree));
    }
    const NodeId node = to_.find(symbol, nodes_, scratch_);
    return node == none ? none : known_.find(node);
  }

 private:
  static constexpr std::size_t many = 8192;  // symbols are as dear to clear as those of a tree to hash
  static constexpr Symbol unknown = none;    // not looked for yet: all bits set, which is quick to write
  static constexpr Symbol absent = none - 1;

  const Forest& from_;
  const Forest& to_;
  const Subtrees& known_;
  std::size_t limit_;
  bool is_same_;
  bool few_symbols_;  // are looked at, of many
  std::vector<Symbol> symbols_;
  std::unordered_map<Symbol, Symbol> some_symbols_;
  std::vector<NodeId> nodes_;
  std::vector<std::uint32_t> scratch_;
};

}  // namespace gristmill::forest
