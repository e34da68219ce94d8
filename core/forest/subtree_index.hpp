// SPDX-License-Identifier: BSD-3-Clause
// The different subtrees of a data set, ranked so that every label, and within it every production (a label with the
// labels of its children), owns a contiguous range; within a production by arrival, so that the subtrees of the first
// trees are a prefix of each range. From ranks to trees by postings.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "forest/productions.hpp"
#include "forest/tree_set.hpp"

namespace gristmill::forest {

using SubtreeRank = std::uint32_t;
using LabelId = std::uint32_t;

class SubtreeIndex {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;

  struct Production {
    LabelId label;
    SubtreeRank begin;
    SubtreeRank end;
    bool marked;  // the label, or one of a child, has a mark
    std::vector<LabelId> children;

    [[nodiscard]] std::size_t size() const noexcept { return end - begin; }
    [[nodiscard]] bool is_leaf() const noexcept { return children.empty(); }
  };

  SubtreeIndex(std::shared_ptr<const Forest> forest, std::span<const NodeId> roots);

  [[nodiscard]] const TreeSet& set() const noexcept { return set_; }
  [[nodiscard]] const Forest& forest() const noexcept { return *forest_; }
  [[nodiscard]] std::size_t trees() const noexcept { return set_.trees(); }
  [[nodiscard]] std::size_t size() const noexcept { return set_.subtrees(); }

  [[nodiscard]] std::span<const Production> productions() const noexcept { return productions_; }
  [[nodiscard]] std::size_t labels() const noexcept { return label_starts_.size() - 1; }
  [[nodiscard]] bool is_marked(LabelId label) const noexcept { return label_marked_[label]; }
  // Productions of a label are neighbours.
  [[nodiscard]] ProductionId first_production(LabelId label) const noexcept { return label_starts_[label]; }

  [[nodiscard]] SubtreeRank rank(SubtreeId id) const noexcept { return ranks_[id]; }
  [[nodiscard]] SubtreeId subtree(SubtreeRank rank) const noexcept { return subtrees_[rank]; }
  [[nodiscard]] ProductionId production(SubtreeId id) const noexcept { return production_of_[id]; }

  // The trees that have a subtree, ascending, with how often they have it.
  struct Posting {
    std::uint32_t tree;
    std::uint32_t count;
  };
  [[nodiscard]] std::span<const Posting> postings(SubtreeRank rank) const noexcept { return postings_[rank]; }

  // How many symbols the forest had: others may have come since.
  [[nodiscard]] std::size_t symbols() const noexcept { return label_of_symbol_.size(); }
  // A label or production of the data set by its symbols, or none.
  [[nodiscard]] LabelId find_label(Symbol symbol) const noexcept {
    return symbol < label_of_symbol_.size() ? label_of_symbol_[symbol] : none;
  }
  [[nodiscard]] ProductionId find_production(std::span<const Symbol> label_and_children) const noexcept {
    const ProductionId found = arrived_.find(label_and_children);
    return found == none ? none : place_of_[found];
  }
  [[nodiscard]] SubtreeId find_subtree(NodeId node) const { return set_.find(node); }

  [[nodiscard]] std::size_t nbytes() const noexcept;

 private:
  void number_labels();
  void number_productions();
  void rank_subtrees();
  [[nodiscard]] Lists<Posting> find_postings() const;

  std::shared_ptr<const Forest> forest_;
  TreeSet set_;
  std::vector<LabelId> label_of_symbol_;
  std::vector<bool> label_marked_;
  std::vector<ProductionId> label_starts_;
  ProductionTable arrived_;             // productions in order of arrival,
  std::vector<ProductionId> place_of_;  // and where they stand by label
  std::vector<Production> productions_;
  std::vector<ProductionId> production_of_;  // a subtree
  std::vector<SubtreeRank> ranks_;
  std::vector<SubtreeId> subtrees_;
  Lists<Posting> postings_;  // by rank
};

}  // namespace gristmill::forest
