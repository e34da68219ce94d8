// SPDX-License-Identifier: BSD-3-Clause
// An l1-regularised log-linear model over conjunctions of up to `degree` features, by stochastic gradient descent with
// cumulative penalty (Tsuruoka, Tsujii and Ananiadou 2009): what kernel learners are compared with when conjunctions
// are spelled out.
//
//   minimise  -1/n sum_j log p(y_j | x_j) + (C / n) |w|_1,   p(1 | x) = 1 / (1 + exp(-w . phi(x)))
//
// The penalty a weight has missed while its conjunction was not seen is caught up with when it is seen again.
#pragma once
#include <span>
#include <vector>

#include "base/edge_map.hpp"
#include "base/observer.hpp"
#include "rows/rows.hpp"
#include "solve/online/rank_table.hpp"

namespace gristmill::benchmarks {

struct LogLinearOptions {
  unsigned degree = 2;
  double penalty = 1.0;        // C
  double rate = 1.0;           // of the first step; ...
  double decay = 0.85;         // ... times this after each pass
  bool keep_expanded = false;  // the conjunctions of every example: more memory, less time
};

class LogLinearTrainer {
 public:
  explicit LogLinearTrainer(const LogLinearOptions& options) : options_(options) {}

  // labels: 0 or 1.
  void learn(rows::Rows rows, std::span<const std::int32_t> labels, std::size_t passes, Observer& observer);

  // w . phi(x); conjunctions never seen count for nothing.
  void score(rows::Rows rows, std::span<double> out) const;

  [[nodiscard]] double objective(rows::Rows rows, std::span<const std::int32_t> labels) const;
  [[nodiscard]] std::size_t conjunctions() const noexcept { return edges_.size() - 1; }
  [[nodiscard]] std::size_t used() const;  // with a weight
  [[nodiscard]] std::size_t nbytes() const noexcept;

 private:
  using Nodes = std::vector<EdgeMap::Node>;

  void expand(std::span<const rows::Rank> ranks, EdgeMap::Node node, unsigned size, Nodes& found);
  void collect(std::span<const rows::Rank> ranks, EdgeMap::Node node, unsigned size, double& sum) const;
  void step(std::span<const EdgeMap::Node> nodes, std::int32_t label, double rate, double penalty);
  void catch_up(EdgeMap::Node node);

  LogLinearOptions options_;
  solve::online::RankTable book_;
  EdgeMap edges_;
  std::vector<double> weights_ = std::vector<double>(1, 0.0);    // by node
  std::vector<double> penalties_ = std::vector<double>(1, 0.0);  // by node: received so far
  double due_ = 0;                                               // to every weight so far
  std::size_t expanded_bytes_ = 0;
};

}  // namespace gristmill::benchmarks
