// SPDX-License-Identifier: BSD-3-Clause
// Trees to be compared with those of an index: their different subtrees, each with its label, production and equal
// subtree in the index, where it has them.
#pragma once
#include <optional>

#include "forest/subtree_index.hpp"

namespace gristmill::forest {

class TreeQueries {
 public:
  static constexpr std::uint32_t none = SubtreeIndex::none;

  // The trees of the index themselves.
  explicit TreeQueries(const SubtreeIndex& index);
  TreeQueries(const TreeQueries&) = delete;  // set_ may point into the object
  TreeQueries& operator=(const TreeQueries&) = delete;

  // Trees of any forest. Equal subtrees of the index are looked for only if wanted.
  TreeQueries(const SubtreeIndex& index, const Forest& forest, std::span<const NodeId> roots, bool find_known);

  [[nodiscard]] const TreeSet& set() const noexcept { return *set_; }
  [[nodiscard]] LabelId label(SubtreeId id) const noexcept { return labels_[id]; }
  [[nodiscard]] ProductionId production(SubtreeId id) const noexcept { return productions_[id]; }
  [[nodiscard]] SubtreeId known(SubtreeId id) const noexcept { return known_[id]; }
  // Whether several trees have it, so that it may pay to remember what was computed.
  [[nodiscard]] bool is_shared(SubtreeId id) const noexcept { return shared_[id]; }

 private:
  void find_shared();

  std::optional<TreeSet> own_;
  const TreeSet* set_;
  std::vector<LabelId> labels_;
  std::vector<ProductionId> productions_;
  std::vector<SubtreeId> known_;
  std::vector<bool> shared_;
};

}  // namespace gristmill::forest
