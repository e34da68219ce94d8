// SPDX-License-Identifier: BSD-3-Clause
// What is asked about a decision: which changes of a row give another one, at least cost; and what is found.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "score/decision_policy.hpp"

namespace gristmill::explain::decisions {

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();
constexpr double no_cost_limit = std::numeric_limits<double>::infinity();

// The row, as variables that each have one of several values. A value is a feature, or -1 for none of them; the first
// value of a variable is the row's own and costs 0, all others cost more than 0. Features that cannot change are fixed.
struct Choices {
  std::span<const std::uint32_t> starts;  // where the values of each variable begin, and the end of the last
  std::span<const FeatureId> features;
  std::span<const double> costs;
  std::span<const FeatureId> fixed;

  [[nodiscard]] std::size_t variables() const noexcept { return starts.size() - 1; }
};

// What is wanted of the scores: a class, any class but one, or an output beyond a threshold.
struct Request {
  enum class Kind : std::uint8_t { become, leave, reach };
  Kind kind = Kind::leave;
  std::int32_t number = 0;  // of the class, or of the output
  double sign = 1;          // reach: sign * score > threshold
  double threshold = 0;
  bool inclusive = false;  // reach: the threshold itself will do
};

struct Limits {
  std::size_t answers = 1;
  std::size_t changes = no_limit;
  double cost = no_cost_limit;  // answers are to cost less
  std::size_t nodes = no_limit;
};

struct Change {
  std::uint32_t variable;
  std::uint32_t value;  // its place in the lists of Choices
};

struct Answer {
  double cost = 0;
  std::vector<Change> changes;  // by variable
};

// The cheapest answers, ascending, none of which holds all changes of another.
struct Outcome {
  std::vector<Answer> answers;
  bool complete = false;  // these are the cheapest; no others, if they are fewer than asked for
  double searched = 0;    // else: all answers that cost at most this are among them
  std::size_t nodes = 0;
};

}  // namespace gristmill::explain::decisions
