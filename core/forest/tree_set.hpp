// SPDX-License-Identifier: BSD-3-Clause
// The different subtrees of some trees of a Forest, and what each tree consists of.
#pragma once
#include "forest/subtrees.hpp"

namespace gristmill::forest {

class TreeSet : public Subtrees {
 public:
  struct Part {
    SubtreeId subtree;
    std::uint32_t count;  // how often it occurs in the tree
  };

  TreeSet(const Forest& forest, std::span<const NodeId> roots);

  [[nodiscard]] std::size_t trees() const noexcept { return arrived_.size() - 1; }

  // Children before parents, the root last; in an order that depends on the tree alone.
  [[nodiscard]] std::span<const Part> parts(std::size_t tree) const noexcept { return parts_[tree]; }
  [[nodiscard]] SubtreeId root(std::size_t tree) const noexcept { return parts(tree).back().subtree; }
  // With all their repetitions; fewer than UINT32_MAX.
  [[nodiscard]] std::uint32_t nodes(std::size_t tree) const noexcept { return nodes_[tree]; }
  // How many subtrees the first trees have.
  [[nodiscard]] std::size_t arrived(std::size_t trees) const noexcept { return arrived_[trees]; }

  [[nodiscard]] std::size_t total_bytes() const noexcept;

 private:
  void count_parts(std::span<const SubtreeId> roots);
  void check_parts() const;

  Lists<Part> parts_;
  std::vector<std::uint32_t> nodes_;
  std::vector<std::size_t> arrived_{0};
};

}  // namespace gristmill::forest
