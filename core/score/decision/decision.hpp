// SPDX-License-Identifier: BSD-3-Clause
// From several scores to a class, where it is certain although each score may still move.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace gristmill::score::decision {

enum class Rule : std::uint8_t {
  sign,     // one output: class 1 above 0, else class 0
  largest,  // an output per class: the highest wins
  votes,    // an output per pair (i, j), i < j, in order: above 0 votes for i, below for j; the first of the most voted
};

constexpr std::int32_t undecided = -1;

// The class, or undecided when it could be another one if two scores moved apart by `apart` (largest) or one score
// moved by `apart` (sign, votes).
[[nodiscard]] std::int32_t decided_class(Rule rule, std::span<const double> scores, double apart,
                                         std::vector<std::int32_t>& votes);

}  // namespace gristmill::score::decision
