// SPDX-License-Identifier: BSD-3-Clause
// Pairs and triples of the numbers below n, laid out without gaps: the block of the expanded scorers and of the
// learners.
#pragma once
#include <cstddef>

namespace gristmill::inline base {

// Row `high` of the triangle of pairs {high, low}, high > low.
[[nodiscard]] constexpr std::size_t pair_row(std::size_t high) { return high * (high - 1) / 2; }

// Row {high, middle} of the tetrahedron of triples: first the pair itself, then the triples by their lowest rank.
[[nodiscard]] constexpr std::size_t triple_plane(std::size_t high) { return (high - 1) * high * (high + 1) / 6; }
[[nodiscard]] constexpr std::size_t triple_row(std::size_t middle) { return middle * (middle + 1) / 2; }

// Entries of the block for n numbers: pairs (degree 2), or pairs and triples (degree 3), else none.
[[nodiscard]] constexpr std::size_t block_size(unsigned degree, std::size_t dense) {
  if (dense == 0) return 0;
  return degree == 2 ? pair_row(dense) : degree == 3 ? triple_plane(dense) : 0;
}

}  // namespace gristmill::inline base
