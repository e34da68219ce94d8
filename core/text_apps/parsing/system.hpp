// SPDX-License-Identifier: BSD-3-Clause
// Transition systems: which moves there are, when each is legal, what it does. Every sequence of legal moves ends in a
// tree with one root.
//
//   arc_standard  left: s1 <- s0; right: s1 -> s0; shift. Projective trees (Nivre 2004).
//   swap          the same, and swap: s1 goes back to the buffer, if it stands before s0. All trees (Nivre 2009).
//   arc_eager     left: s0 <- b0; right: s0 -> b0, which goes on the stack; reduce; shift. When the buffer is empty and
//                 the top has no head, it goes back to the buffer: so that one root is left (Nivre and
//                 Fernandez-Gonzalez 2014).
//   head_final    left: s0 <- b0; shift. Every head stands right of its dependents (Sassano 2004).
//   cascade       the same trees, decided in passes over what is left: does s0 depend on its right neighbour b0? Those
//                 that do, and that nothing before them can depend on any more, are left out of the next pass (Kudo and
//                 Matsumoto 2002).
//
// Cost: linear in words for arc_standard, arc_eager and head_final; swap and cascade quadratic at worst, linear in
// practice.
#pragma once
#include "text_apps/parsing/configuration.hpp"

namespace gristmill::text_apps::parsing {

enum class System : std::uint8_t { arc_standard, arc_eager, swap, head_final, cascade };

enum class Move : std::uint8_t { shift, left, right, reduce, swap };
constexpr std::size_t move_count = 5;

[[nodiscard]] constexpr bool has_relation(Move move) noexcept { return move == Move::left || move == Move::right; }

struct Action {
  Move move = Move::shift;
  std::int32_t relation = no_relation;

  friend bool operator==(const Action&, const Action&) = default;
};

class MoveSet {
 public:
  [[nodiscard]] bool has(Move move) const noexcept { return (bits_ >> static_cast<unsigned>(move) & 1U) != 0; }
  [[nodiscard]] bool empty() const noexcept { return bits_ == 0; }
  [[nodiscard]] bool is_only(Move move) const noexcept { return bits_ == 1U << static_cast<unsigned>(move); }
  void add(Move move) noexcept { bits_ |= 1U << static_cast<unsigned>(move); }

 private:
  unsigned bits_ = 0;
};

// The words are read, and moves that are no choice are made.
void begin(System system, Configuration& configuration, std::size_t words);

// Those to choose from; none when the tree is done.
[[nodiscard]] MoveSet legal_moves(System system, const Configuration& configuration);

// A legal one; then moves that are no choice: shifts that alone are legal.
void take(System system, Configuration& configuration, Action action);

}  // namespace gristmill::text_apps::parsing
