// SPDX-License-Identifier: BSD-3-Clause
// What to do to get a known tree.
//
// The static oracle of a system gives the one action that its own actions so far lead to. The dynamic one of arc_eager
// tells of any configuration how many arcs of a projective tree each move gives away (Goldberg and Nivre 2012), as if
// words that are left on the stack without a head were lost: that some of them go back to the buffer in the end wins
// few arcs, and to count on it would teach to wait.
//
// Cost: O(1) an action; the dynamic one O(words).
#pragma once
#include <array>

#include "text_apps/parsing/system.hpp"
#include "text_apps/parsing/tree.hpp"

namespace gristmill::text_apps::parsing {

class Oracle {
 public:
  // Borrows the tree.
  Oracle(System system, const Tree& tree);

  // Whether the system has actions that give this tree.
  [[nodiscard]] bool can_reach() const noexcept { return reachable_; }

  [[nodiscard]] Action next(const Configuration& configuration) const;

 private:
  [[nodiscard]] Action next_standard(const Configuration& configuration) const;
  [[nodiscard]] Action next_eager(const Configuration& configuration) const;
  [[nodiscard]] Action next_final(const Configuration& configuration) const;
  [[nodiscard]] bool is_complete(const Configuration& configuration, Word word) const;
  [[nodiscard]] bool shall_swap(const Configuration& configuration) const;
  void find_components();

  System system_;
  const Tree& tree_;
  bool reachable_ = true;
  std::vector<Word> ranks_;       // where words belong, for swaps
  std::vector<Word> components_;  // of words that need no swap among them, for swaps that are not too early
};

// By move; of moves that are not legal it says nothing.
[[nodiscard]] std::array<std::int32_t, move_count> eager_costs(const Configuration& configuration, const Tree& tree);

// The relation that the tree gives to the arc of a move, or no_relation if the arc is not in the tree.
[[nodiscard]] std::int32_t eager_relation(const Configuration& configuration, const Tree& tree, Move move);

}  // namespace gristmill::text_apps::parsing
