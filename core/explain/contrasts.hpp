// SPDX-License-Identifier: BSD-3-Clause
// Rows beside the reference that they are explained against: the features of both, what each of them is in either, and
// whose it is. A player is a feature, or a group of features that come and stay together.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/triangle.hpp"
#include "rows/rows.hpp"

namespace gristmill::explain {

struct Contrasts {
  rows::Rows rows;                         // features of x or the reference
  std::span<const double> x;               // by entry, empty: all are 1
  std::span<const double> reference;       // by entry, empty: all are 0
  std::span<const Offset> starts;          // where the players of each row begin; empty: each entry is a player
  std::span<const std::uint32_t> players;  // by entry: the number of its player among those of the row

  [[nodiscard]] double in_x(std::size_t entry) const { return x.empty() ? 1.0 : x[entry]; }
  [[nodiscard]] double in_reference(std::size_t entry) const { return reference.empty() ? 0.0 : reference[entry]; }
  [[nodiscard]] bool grouped() const noexcept { return !starts.empty(); }
  // The players of a row among those of all rows.
  [[nodiscard]] std::size_t first_player(std::size_t row) const {
    return static_cast<std::size_t>((grouped() ? starts : rows.offsets)[row]);
  }
  [[nodiscard]] std::size_t n_players(std::size_t row) const { return first_player(row + 1) - first_player(row); }
  // Of the place of an entry in its row.
  [[nodiscard]] std::size_t player(std::size_t row, std::size_t place) const {
    return grouped() ? players[static_cast<std::size_t>(rows.offsets[row]) + place] : place;
  }
};

// The place of a pair among (0, 1), (0, 2), ..., (1, 2), ..., (n - 2, n - 1).
[[nodiscard]] inline std::size_t pair_number(std::size_t n, std::size_t one, std::size_t other) {
  const auto [low, high] = std::minmax(one, other);
  return pair_row(n) - pair_row(n - low) + (high - low - 1);
}

// Where the pairs of players of each row begin, if there are to be any.
[[nodiscard]] inline std::vector<std::size_t> pair_offsets(const Contrasts& contrasts, bool paired) {
  std::vector<std::size_t> offsets(contrasts.rows.size() + 1, 0);
  if (!paired) return offsets;
  for (std::size_t row = 0; row < contrasts.rows.size(); ++row) {
    offsets[row + 1] = offsets[row] + pair_row(contrasts.n_players(row));
  }
  return offsets;
}

}  // namespace gristmill::explain
