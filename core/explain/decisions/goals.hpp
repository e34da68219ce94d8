// SPDX-License-Identifier: BSD-3-Clause
// What a request asks of scores. A goal is a set of margins that have to be above 0, or may have to: with bounds of
// what each can still become, it says whether the request can still be fulfilled. A request is one goal or several, of
// which any will do: to leave a class is to prefer one of the others.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "explain/decisions/gains.hpp"
#include "explain/decisions/problem.hpp"

namespace gristmill::explain::decisions {

// combination - threshold.
struct Margin {
  Combination combination;
  double threshold = 0;

  [[nodiscard]] double of(std::span<const double> scores) const {
    const double one = scores[combination.output];
    const double two = combination.is_difference() ? scores[combination.minus] : 0.0;
    return combination.sign * (one - two) - threshold;
  }
  // of gains, without the threshold
  [[nodiscard]] double gain(const double* one, const double* two, Slot slot) const {
    return combination.sign * (two == nullptr ? one[slot] : one[slot] - two[slot]);
  }
};

class Goal {
 public:
  // All margins have to be reached.
  static Goal all(std::vector<Margin> margins);
  // By votes `winner` has to beat `rivals`.
  static Goal votes(const score::DecisionPolicy& policy, std::int32_t winner, std::vector<std::int32_t> rivals);

  [[nodiscard]] std::span<const Margin> margins() const noexcept { return margins_; }
  [[nodiscard]] bool needs_all() const noexcept { return rivals_.empty(); }

  // Whether a margin should rise: all, or of votes those of the winner.
  [[nodiscard]] bool wants(std::size_t margin) const;

  // Whether the goal can be reached where these margins can be reached.
  [[nodiscard]] bool possible(std::span<const std::uint8_t> reachable) const;

 private:
  [[nodiscard]] bool beats(std::int32_t rival, std::span<const std::uint8_t> reachable) const;
  // Pairs that can, or must, vote for a class.
  [[nodiscard]] std::int32_t votes_of(std::int32_t number, bool most, std::span<const std::uint8_t> reachable) const;

  std::vector<Margin> margins_;  // of votes: for each output above 0, then below 0
  std::int32_t classes_ = 0;
  std::int32_t winner_ = 0;
  std::vector<std::int32_t> rivals_;
};

[[nodiscard]] std::vector<Goal> goals_of(const Request& request, const score::DecisionPolicy& policy);

// 1 and 0 for scores that fulfil a request or do not; -1 where it hangs on rounding. doubt: of each score.
[[nodiscard]] int fulfils(const Request& request, const score::DecisionPolicy& policy, std::span<const double> scores,
                          double doubt, std::vector<std::int32_t>& votes);

}  // namespace gristmill::explain::decisions
