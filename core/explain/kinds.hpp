// SPDX-License-Identifier: BSD-3-Clause
// The four kinds of players of a game between x and a reference row, for one support row (see KindGames).
#pragma once
#include <array>
#include <compare>
#include <cstddef>

namespace gristmill::explain {

// x_shared + 1 is x_other, and so on: the group of a kind is kind / 2.
enum Kind : std::size_t { x_shared, x_other, reference_shared, reference_other };
constexpr std::size_t kinds = 4;

struct KindCounts {
  std::array<std::size_t, kinds> players;  // by kind
  std::size_t common;                      // features of x and the reference, ...
  std::size_t common_shared;               // ... and of the support row

  friend auto operator<=>(const KindCounts&, const KindCounts&) = default;
};

struct KindShares {
  std::array<double, kinds> value{};
  std::array<std::array<double, kinds>, kinds> pair{};
};

constexpr std::array<Kind, kinds> all_kinds{x_shared, x_other, reference_shared, reference_other};

[[nodiscard]] constexpr bool is_shared(Kind kind) { return kind % 2 == 0; }
// Features of the reference go when they come.
[[nodiscard]] constexpr double sign_of(Kind kind) { return kind < reference_shared ? 1.0 : -1.0; }

}  // namespace gristmill::explain
