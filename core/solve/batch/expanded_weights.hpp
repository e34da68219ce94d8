// SPDX-License-Identifier: BSD-3-Clause
// f = sum_i b_i k(x_i, .) over expanded rows, kept as weights of what rows share: changing b_i and asking for f(x_j)
// cost what one row has, whatever the number of rows.
#pragma once
#include "solve/batch/expanded_rows.hpp"

namespace gristmill::solve::batch {

class ExpandedWeights {
 public:
  // rows: outlive this.
  explicit ExpandedWeights(const ExpandedRows& rows);

  [[nodiscard]] double score(std::size_t row) const;
  void add(std::size_t row, double delta);
  void clear();

  [[nodiscard]] std::size_t nbytes() const noexcept {
    return (dense_.size() + patterns_.size() + own_.size()) * sizeof(double);
  }

 private:
  const ExpandedRows& rows_;
  std::size_t alone_;  // where the features alone start
  double everywhere_ = 0;
  LargeVector<double> dense_;     // conjunctions of dense features, times what they weigh
  LargeVector<double> patterns_;  // likewise
  std::vector<double> own_;       // by row, times what its own conjunctions weigh
};

}  // namespace gristmill::solve::batch
