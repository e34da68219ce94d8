// SPDX-License-Identifier: BSD-3-Clause
#include "score/decision_policy.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace gristmill::score {
namespace {

struct Every {
  [[nodiscard]] bool operator()(std::size_t) const { return true; }
};
struct Marked {
  std::span<const std::uint8_t> marks;
  [[nodiscard]] bool operator()(std::size_t number) const { return marks[number] != 0; }
};

// One doubt about all scores.
struct SharedDoubt {
  Doubt doubt;
  [[nodiscard]] bool none() const { return doubt.none(); }
  [[nodiscard]] double one(std::size_t) const { return doubt.one; }
  [[nodiscard]] double two(std::size_t, std::size_t) const { return doubt.two; }
};
// A bound for each score.
struct OwnDoubts {
  std::span<const double> bounds;
  [[nodiscard]] static bool none() { return false; }
  [[nodiscard]] double one(std::size_t output) const { return bounds[output]; }
  [[nodiscard]] double two(std::size_t a, std::size_t b) const { return bounds[a] + bounds[b]; }
};

bool is_positive(const DecisionPolicy& policy, double score) {
  return score > 0 || (score == 0 && policy.zero_class == 1);
}

// Comparisons are written so that what is not a number is in doubt.
template <class Doubts>
bool is_open(double score, std::size_t output, const Doubts& doubts) {
  return !doubts.none() && !(std::abs(score) > doubts.one(output));
}

template <class Value>
bool is_number(Value value) {
  if constexpr (std::is_floating_point_v<Value>) return !std::isnan(value);
  return true;
}

template <class Value, class Allowed>
std::size_t first_largest(std::span<const Value> values, const Allowed& allowed) {
  std::size_t best = 0;
  while (!allowed(best)) ++best;
  Value top = values[best];
  for (std::size_t i = best + 1; i < values.size(); ++i) {
    if (allowed(i) && !(values[i] <= top) && is_number(top)) best = i, top = values[i];
  }
  return best;
}

template <class Doubts, class Allowed>
std::int32_t by_sign(const DecisionPolicy& policy, double score, const Doubts& doubts, const Allowed& allowed) {
  if (!allowed(0) || !allowed(1)) return allowed(1) ? 1 : 0;  // whichever it is
  return is_open(score, 0, doubts) ? undecided : is_positive(policy, score) ? 1 : 0;
}

template <class Doubts, class Allowed>
std::int32_t by_largest(std::span<const double> scores, const Doubts& doubts, const Allowed& allowed) {
  if (scores.empty()) return undecided;
  const std::size_t best = first_largest(scores, allowed);
  bool certain = true;
  for (std::size_t rival = 0; !doubts.none() && rival < scores.size(); ++rival) {
    certain &= rival == best || !allowed(rival) || scores[best] - scores[rival] > doubts.two(best, rival);
  }
  return certain ? static_cast<std::int32_t>(best) : undecided;
}

// votes: for each class those it has for certain, then those it may still get.
template <class Doubts>
void count_votes(const DecisionPolicy& policy, std::span<const double> scores, const Doubts& doubts,
                 std::vector<std::int32_t>& votes) {
  const auto classes = static_cast<std::size_t>(policy.classes);
  votes.assign(2 * classes, 0);
  std::size_t output = 0;
  for (std::size_t i = 0; i < classes; ++i) {
    for (std::size_t j = i + 1; j < classes; ++j, ++output) {
      const bool open = is_open(scores[output], output, doubts);
      ++votes[open ? classes + i : is_positive(policy, scores[output]) ? i : j];
      if (open) ++votes[classes + j];
    }
  }
}

template <class Doubts, class Allowed>
std::int32_t by_votes(const DecisionPolicy& policy, std::span<const double> scores, const Doubts& doubts,
                      const Allowed& allowed, std::vector<std::int32_t>& votes) {
  count_votes(policy, scores, doubts, votes);
  const auto classes = static_cast<std::size_t>(policy.classes);
  const std::size_t best = first_largest(std::span<const std::int32_t>(votes).first(classes), allowed);
  for (std::size_t rival = 0; rival < classes; ++rival) {
    const std::int32_t most = votes[rival] + votes[classes + rival];
    const bool wins = most > votes[best] || (most == votes[best] && rival < best);
    if (rival != best && allowed(rival) && wins) return undecided;
  }
  return static_cast<std::int32_t>(best);
}

template <class Doubts, class Allowed>
std::int32_t decide_among(const DecisionPolicy& policy, std::span<const double> scores, const Doubts& doubts,
                          const Allowed& allowed, std::vector<std::int32_t>& votes) {
  switch (policy.rule) {
    case DecisionRule::largest:
      return by_largest(scores, doubts, allowed);
    case DecisionRule::votes:
      return by_votes(policy, scores, doubts, allowed, votes);
    case DecisionRule::sign:
      break;
  }
  return by_sign(policy, scores[0], doubts, allowed);
}

// visit(number, its entries) for each row of a table.
template <class Visit>
void for_each_row(std::span<const double> table, std::size_t rows, Visit visit) {
  const std::size_t width = rows == 0 ? 0 : table.size() / rows;
  for (std::size_t row = 0; row < rows; ++row) visit(row, table.subspan(row * width, width));
}

}  // namespace

bool DecisionPolicy::fits(std::size_t outputs) const noexcept {
  const auto count = static_cast<std::size_t>(classes);
  if (rule == DecisionRule::sign) return outputs == 1;
  return outputs == (rule == DecisionRule::largest ? count : count * (count - 1) / 2);
}

std::int32_t decide(const DecisionPolicy& policy, std::span<const double> scores, Doubt doubt,
                    std::span<const std::uint8_t> allowed, std::vector<std::int32_t>& votes) {
  const SharedDoubt doubts{doubt};
  if (allowed.empty()) return decide_among(policy, scores, doubts, Every{}, votes);
  return decide_among(policy, scores, doubts, Marked{allowed}, votes);
}

void decide_all(const DecisionPolicy& policy, std::span<const double> scores, std::span<const std::uint8_t> allowed,
                std::span<std::int32_t> out) {
  std::vector<std::int32_t> votes;
  for_each_row(scores, out.size(), [&](std::size_t row, std::span<const double> own) {
    out[row] = decide(policy, own, {}, allowed, votes);
  });
}

void find_undecided(const DecisionPolicy& policy, std::span<const double> scores, std::span<const double> bounds,
                    std::span<std::uint8_t> out) {
  std::vector<std::int32_t> votes;
  for_each_row(scores, out.size(), [&](std::size_t row, std::span<const double> own) {
    const OwnDoubts doubts{bounds.subspan(row * own.size(), own.size())};
    out[row] = decide_among(policy, own, doubts, Every{}, votes) == undecided ? 1 : 0;
  });
}

void count_votes(const DecisionPolicy& policy, std::span<const double> scores, std::vector<std::int32_t>& votes) {
  count_votes(policy, scores, SharedDoubt{}, votes);
  votes.resize(static_cast<std::size_t>(policy.classes));
}

}  // namespace gristmill::score
