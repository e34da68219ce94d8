// SPDX-License-Identifier: BSD-3-Clause
// Numbers for some nodes of a forest: a plain table where they are a good part of it, else a hash table, so that one
// small tree of a large forest costs what a small tree costs.
#pragma once
#include <unordered_map>
#include <vector>

#include "forest/forest.hpp"

namespace gristmill::forest {

class NodeNumbers {
 public:
  static constexpr std::uint32_t none = Forest::none;

  // For the nodes below so many roots.
  NodeNumbers(const Forest& forest, std::size_t roots) {
    constexpr std::size_t nodes = 64;  // of a tree, roughly
    if (roots * nodes >= forest.size()) table_.assign(forest.size(), none);
  }

  [[nodiscard]] std::uint32_t find(NodeId node) const {
    if (!table_.empty()) return node < table_.size() ? table_[node] : none;
    const auto found = map_.find(node);
    return found == map_.end() ? none : found->second;
  }
  void set(NodeId node, std::uint32_t number) {
    if (table_.empty()) {
      map_[node] = number;
      return;
    }
    if (node >= table_.size()) table_.resize(node + std::size_t{1}, none);  // the forest has grown
    table_[node] = number;
  }

  [[nodiscard]] std::size_t nbytes() const noexcept {
    return table_.size() * sizeof(std::uint32_t) + map_.size() * 4 * sizeof(void*);
  }

 private:
  std::vector<std::uint32_t> table_;
  std::unordered_map<NodeId, std::uint32_t> map_;
};

}  // namespace gristmill::forest
