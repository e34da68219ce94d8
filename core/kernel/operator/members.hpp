// SPDX-License-Identifier: BSD-3-Clause
// The subtrees of every production (or label), by arrival.
#pragma once
#include "base/lists.hpp"
#include "forest/productions.hpp"

namespace gristmill::kernel::gram {

using Members = Lists<forest::SubtreeId>;

// Those with a key; what has none is left out.
template <class KeyOf>
[[nodiscard]] Members members_by(const forest::Subtrees& subtrees, std::size_t keys, KeyOf key_of) {
  const auto id = [](std::size_t at) { return static_cast<forest::SubtreeId>(at); };
  const auto key = [&](std::size_t at) { return key_of(id(at)); };
  return Members::grouped(keys, subtrees.subtrees(), key, id);
}

[[nodiscard]] inline Members by_production(const forest::Subtrees& subtrees, const forest::Productions& productions,
                                           bool leaves) {
  return members_by(subtrees, productions.size(), [&, leaves](forest::SubtreeId id) {
    return leaves || !subtrees.is_leaf(id) ? productions.of(id) : forest::Productions::none;
  });
}

// Of labels that count.
template <class Counts>
[[nodiscard]] Members by_label(const forest::Subtrees& subtrees, std::size_t symbols, Counts counts) {
  return members_by(subtrees, symbols, [&](forest::SubtreeId id) {
    const forest::Symbol label = subtrees.label(id);
    return counts(label) ? label : forest::Symbols::none;
  });
}

}  // namespace gristmill::kernel::gram
