// SPDX-License-Identifier: BSD-3-Clause
// The edges of a growing tree, (node, label) -> child, as one hash table: a tree of any shape in two arrays. Children
// are numbered as they come; 0 is the root, and nobody's child.
#pragma once
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "base/hash.hpp"
#include "base/variants.hpp"

namespace gristmill::inline base {

class EdgeMap {
 public:
  using Node = std::uint32_t;
  static constexpr Node none = 0;

  [[nodiscard]] std::size_t size() const noexcept { return nodes_ + std::size_t{1}; }  // nodes, the root included
  [[nodiscard]] std::size_t nbytes() const noexcept { return slots_.size() * sizeof(Slot); }

  // The child, or none.
  [[nodiscard]] GRISTMILL_INLINE Node find(Node node, std::uint32_t label) const {
    const std::uint64_t key = key_of(node, label);
    for (std::size_t at = home(key);; at = (at + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[at];
      if (slot.key == key || slot.child == none) return slot.child;
    }
  }

  // The child, made if there is none.
  Node make(Node node, std::uint32_t label) {
    if (2 * size() > slots_.size()) grow();
    const std::uint64_t key = key_of(node, label);
    Slot& slot = place_of(key);
    if (slot.child == none) {
      if (nodes_ == UINT32_MAX) throw std::length_error("more than 2^32 conjunctions");
      slot = {key, ++nodes_};
    }
    return slot.child;
  }

 private:
  struct Slot {
    std::uint64_t key;
    Node child;
  };

  [[nodiscard]] static std::uint64_t key_of(Node node, std::uint32_t label) {
    return std::uint64_t{node} << 32 | label;
  }
  [[nodiscard]] std::size_t home(std::uint64_t key) const { return slot_of(key, slots_.size()); }
  Slot& place_of(std::uint64_t key) {
    std::size_t at = home(key);
    while (slots_[at].key != key && slots_[at].child != none) at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size(), Slot{0, none});
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.child != none) place_of(slot.key) = slot;
    }
  }

  std::uint32_t nodes_ = 0;
  std::vector<Slot> slots_ = std::vector<Slot>(64, Slot{0, none});
};

}  // namespace gristmill::inline base
