// SPDX-License-Identifier: BSD-3-Clause
// The best point along a line of weights, intercepts minimised with the step: Newton's method in a handful of numbers,
//
//   minimise over a, b   start + a slope + a^2 / 2 square + C sum_i w_i loss(y_i, f_i + a g_i + b)
//
// Scores are linear in weights, so a try is one pass over scores and no table is looked at.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "solve/tables/losses.hpp"

namespace gristmill::solve::tables {

struct Line {
  std::span<const double> scores;          // f, rows x outputs
  std::span<const double> direction = {};  // g; empty: intercepts alone
  double start = 0;                        // |V|^2 / 2
  double slope = 0;                        // V d
  double square = 0;                       // |d|^2
  double longest = 0;                      // a is between 0 and this
};

struct LinePoint {
  double step = 0;
  std::vector<double> intercepts;
  double objective = 0;
  double decrement = 0;  // what Newton's method still expects to gain, twice
};

class LineSearch {
 public:
  explicit LineSearch(const Targets& targets) : pass_(targets) {}

  void set_C(double C) noexcept { C_ = C; }
  [[nodiscard]] std::size_t intercepts() const noexcept { return pass_.intercepts(); }

  // From step 0 and these intercepts, until what is expected to gain is at most `share` of what was gained. `residuals`
  // are those of the point found, without C.
  [[nodiscard]] LinePoint minimise(const Line& line, std::vector<double> intercepts, double share,
                                   std::span<double> residuals, Workers& workers);

 private:
  struct Try {
    LinePoint point;
    std::vector<double> newton;  // the way to go from there
  };
  [[nodiscard]] Try evaluate(const Line& line, LinePoint point, std::span<double> residuals, Workers& workers);
  void set_newton(Try& tried, const Line& line, const Derivatives& loss) const;
  [[nodiscard]] bool descend(const Line& line, Try& best, std::span<double> residuals, Workers& workers);

  LossPass pass_;
  double C_ = 1;
};

}  // namespace gristmill::solve::tables
