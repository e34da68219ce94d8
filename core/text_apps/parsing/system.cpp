// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/parsing/system.hpp"

#include <stdexcept>

namespace gristmill::text_apps::parsing {
namespace {

MoveSet set_of(bool shift, bool left, bool right, bool reduce, bool swap) {
  MoveSet moves;
  if (shift) moves.add(Move::shift);
  if (left) moves.add(Move::left);
  if (right) moves.add(Move::right);
  if (reduce) moves.add(Move::reduce);
  if (swap) moves.add(Move::swap);
  return moves;
}

MoveSet standard_moves(const Configuration& c, bool may_swap) {
  const bool pair = c.stack_size() >= 2;
  return set_of(c.buffer_size() > 0, pair, pair, false, may_swap && pair && c.stack(1) < c.stack(0));
}

void take_standard(Configuration& c, Action action) {
  const Word top = c.stack(0);
  const Word below = c.stack(1);
  switch (action.move) {
    case Move::shift:
      return c.push();
    case Move::left:
      c.link(top, below, action.relation);
      return c.pop_second();
    case Move::right:
      c.link(below, top, action.relation);
      return c.pop();
    case Move::swap:
      return c.unread_second();
    case Move::reduce:
      break;
  }
  throw std::logic_error("no such move");
}

// Once a word had to go back, words are read again only where nothing is left to link them to.
MoveSet eager_moves(const Configuration& c) {
  if (c.buffer_size() == 0) return {};
  if (c.stack_size() == 0) return set_of(true, false, false, false, false);
  const bool has_head = c.has_head(c.stack(0));
  return set_of(!c.has_unread(), !has_head, true, has_head, false);
}

void take_eager(Configuration& c, Action action) {
  switch (action.move) {
    case Move::left:
      c.link(c.buffer(0), c.stack(0), action.relation);
      return c.pop();
    case Move::right:
      c.link(c.stack(0), c.buffer(0), action.relation);
      return c.push();
    case Move::reduce:
      return c.pop();
    case Move::shift:
      return c.push();
    case Move::swap:
      break;
  }
  throw std::logic_error("no such move");
}

// With an empty buffer: words that have a head go; of two that have none the upper one goes back.
void end_eager(Configuration& c) {
  while (c.buffer_size() == 0 && c.stack_size() > 1) {
    if (c.has_head(c.stack(0))) {
      c.pop();
    } else {
      c.unread();
    }
  }
}

// What is left depends on the last word.
MoveSet final_moves(const Configuration& c) {
  const bool open = c.stack_size() > 0;
  return set_of(c.buffer_size() > 1, open, false, false, false);
}

void take_final(Configuration& c, Action action) {
  if (action.move == Move::shift) return c.push();
  c.link(c.buffer(0), c.stack(0), action.relation);
  c.pop();
}

MoveSet cascade_moves(const Configuration& c) {
  if (c.buffer_size() == 0) return {};
  return set_of(c.buffer_size() > 1, true, false, false, false);
}

// Left out: words with a head, behind one that has none yet or at the beginning.
std::vector<Word> left_after_pass(const Configuration& c) {
  std::vector<Word> kept;
  bool open = true;  // the word before has no head
  for (const Word word : c.whole_stack()) {
    const bool has_head = c.has_head(word);
    if (!has_head || !open) kept.push_back(word);
    open = !has_head;
  }
  return kept;
}

// To the next word without a head that has a right neighbour, in this pass or in later ones.
void advance_cascade(Configuration& c) {
  while (true) {
    while (c.buffer_size() > 0 && (c.stack_size() == 0 || c.has_head(c.stack(0)))) c.push();
    if (c.buffer_size() > 0 || c.stack_size() <= 1) return;
    c.rewind(left_after_pass(c));
  }
}

void take_cascade(Configuration& c, Action action) {
  if (action.move == Move::left) c.link(c.buffer(0), c.stack(0), action.relation);
  c.push();
  advance_cascade(c);
}

void take_one(System system, Configuration& c, Action action) {
  switch (system) {
    case System::arc_standard:
    case System::swap:
      return take_standard(c, action);
    case System::arc_eager:
      take_eager(c, action);
      return end_eager(c);
    case System::head_final:
      return take_final(c, action);
    case System::cascade:
      return take_cascade(c, action);
  }
}

void take_forced(System system, Configuration& c) {
  while (legal_moves(system, c).is_only(Move::shift)) take_one(system, c, {Move::shift, no_relation});
}

}  // namespace

MoveSet legal_moves(System system, const Configuration& c) {
  switch (system) {
    case System::arc_standard:
    case System::swap:
      return standard_moves(c, system == System::swap);
    case System::arc_eager:
      return eager_moves(c);
    case System::head_final:
      return final_moves(c);
    case System::cascade:
      return cascade_moves(c);
  }
  return {};
}

void begin(System system, Configuration& c, std::size_t words) {
  c.begin(words);
  if (system == System::cascade) advance_cascade(c);
  take_forced(system, c);
}

void take(System system, Configuration& c, Action action) {
  take_one(system, c, action);
  take_forced(system, c);
}

}  // namespace gristmill::text_apps::parsing
