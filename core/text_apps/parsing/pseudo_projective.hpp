// SPDX-License-Identifier: BSD-3-Clause
// Pseudo-projective parsing (Nivre and Nilsson 2005): arcs that cross are lifted to heads further up until none does;
// relations tell how to find the way back.
//
//   head       a lifted word remembers the relation of the head it had
//   path       it only knows that it was lifted; words on the way down to its head know that one passed through them
//   head_path  both
//
// What was lifted is nearly always found again, yet not always: two words below the new head may look alike.
#pragma once
#include "base/observer.hpp"
#include "text_apps/parsing/tree.hpp"

namespace gristmill::text_apps::parsing {

struct Lifted {
  std::vector<Word> heads;
  std::vector<Word> from;         // the head that a lifted word had, no_word for others
  std::vector<std::uint8_t> way;  // 1: a word was lifted through this one, or from it
};

// The observer is asked after each arc: a tree in which most arcs cross takes time cubic in its words.
[[nodiscard]] Lifted lift(const Tree& tree, Observer& observer);

// What a relation says beside its own name.
struct Mark {
  std::int32_t relation;  // without marks
  bool lifted = false;
  std::int32_t head = no_relation;  // the relation of the head it was lifted from, if it knows it
  bool way = false;
};

// Heads go down to where marks say; relations lose their marks.
void lower(std::span<const Mark> marks, std::span<Word> heads, std::span<std::int32_t> relations);

}  // namespace gristmill::text_apps::parsing
