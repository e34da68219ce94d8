// SPDX-License-Identifier: BSD-3-Clause
// What scores mean: a class. Ties, zeros and what is not a number are settled here and nowhere else, and so is the
// question whether a class is certain although scores may be off.
//
//   equal scores or votes     the first class
//   a score of 0              `zero_class`, which of a pair is 1 for the first one
//   what is not a number      the largest of scores, as NumPy's argmax has it; of one score and of pairs as below 0
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace gristmill::score {

enum class DecisionRule : std::uint8_t {
  sign,     // one output: class 1 above 0, else class 0
  largest,  // an output per class: the highest wins
  votes,    // an output per pair (i, j), i < j, in order: above 0 votes for i, below for j; the first of the most voted
};

constexpr std::int32_t undecided = -1;

struct DecisionPolicy {
  DecisionRule rule = DecisionRule::sign;
  std::int32_t classes = 2;
  std::int32_t zero_class = 0;

  [[nodiscard]] bool fits(std::size_t outputs) const noexcept;
};

// How far scores may be from those of the definition. A bound speaks of that distance itself, with the rounding of
// either side in it: a score that is further from 0 than one bound has the sign of the definition's. Two scores may
// each be off, in opposite directions, so their difference has to exceed the bounds of both.
struct Doubt {
  double one = 0;  // of a score
  double two = 0;  // of the difference of two

  [[nodiscard]] static constexpr Doubt of(double bound) { return {bound, 2 * bound}; }
  [[nodiscard]] constexpr bool none() const noexcept { return one == 0 && two == 0; }
};

// The class among those allowed (a mark for each class, at least one set; empty: all), or undecided where the
// definition's scores could mean another one. Without doubt there is always a class, if there are scores at all.
// votes: room to count in.
[[nodiscard]] std::int32_t decide(const DecisionPolicy& policy, std::span<const double> scores, Doubt doubt,
                                  std::span<const std::uint8_t> allowed, std::vector<std::int32_t>& votes);

// The classes of a table of scores without doubt, a row for each of out.
void decide_all(const DecisionPolicy& policy, std::span<const double> scores, std::span<const std::uint8_t> allowed,
                std::span<std::int32_t> out);

// Which rows of a table have no certain class where each score has a bound of its own: 1, else 0.
void find_undecided(const DecisionPolicy& policy, std::span<const double> scores, std::span<const double> bounds,
                    std::span<std::uint8_t> out);

// The votes of each class, of scores for pairs.
void count_votes(const DecisionPolicy& policy, std::span<const double> scores, std::vector<std::int32_t>& votes);

}  // namespace gristmill::score
