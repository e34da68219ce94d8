// SPDX-License-Identifier: BSD-3-Clause
#include "score/decision/decision.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gristmill::score::decision {
namespace {

std::int32_t class_of_largest(std::span<const double> scores, double apart) {
  if (scores.empty()) return undecided;
  std::size_t best = 0;
  double rival = -std::numeric_limits<double>::infinity();
  for (std::size_t output = 1; output < scores.size(); ++output) {
    const bool better = scores[output] > scores[best];
    rival = std::max(rival, better ? scores[best] : scores[output]);
    best = better ? output : best;
  }
  return scores[best] - rival > apart ? static_cast<std::int32_t>(best) : undecided;
}

std::size_t classes_of_pairs(std::size_t pairs) {
  std::size_t classes = 1;
  while (classes * (classes - 1) / 2 < pairs) ++classes;
  return classes;
}

// votes: for each class those it has for certain, then those it may still get.
void count_votes(std::span<const double> scores, double apart, std::size_t classes, std::vector<std::int32_t>& votes) {
  votes.assign(2 * classes, 0);
  std::size_t output = 0;
  for (std::size_t i = 0; i < classes; ++i) {
    for (std::size_t j = i + 1; j < classes; ++j, ++output) {
      const bool open = !(std::abs(scores[output]) > apart);
      ++votes[open ? classes + i : scores[output] > 0 ? i : j];
      if (open) ++votes[classes + j];
    }
  }
}

std::int32_t class_of_votes(std::span<const double> scores, double apart, std::vector<std::int32_t>& votes) {
  const std::size_t classes = classes_of_pairs(scores.size());
  count_votes(scores, apart, classes, votes);
  const auto best = static_cast<std::size_t>(
      std::max_element(votes.begin(), votes.begin() + static_cast<std::ptrdiff_t>(classes)) - votes.begin());
  for (std::size_t rival = 0; rival < classes; ++rival) {
    const std::int32_t most = votes[rival] + votes[classes + rival];
    if (rival != best && (most > votes[best] || (most == votes[best] && rival < best))) return undecided;
  }
  return static_cast<std::int32_t>(best);
}

}  // namespace

std::int32_t decided_class(Rule rule, std::span<const double> scores, double apart, std::vector<std::int32_t>& votes) {
  switch (rule) {
    case Rule::largest:
      return class_of_largest(scores, apart);
    case Rule::votes:
      return class_of_votes(scores, apart, votes);
    case Rule::sign:
      break;
  }
  return std::abs(scores[0]) > apart ? static_cast<std::int32_t>(scores[0] > 0) : undecided;
}

}  // namespace gristmill::score::decision
