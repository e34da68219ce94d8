// SPDX-License-Identifier: BSD-3-Clause
// The inverted-index scorer (PKI; Kudo and Matsumoto 2003, section 4.1).
//
//   f(x) = b + k(0) * sum(a) + sum over support rows i that share a feature with x of a_i * (k(m_i) - k(0))
//
// Cost per example: the postings of its features, for all outputs together. Memory: one posting per support feature
// (frequent features as byte columns, see OverlapIndex).
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "machine/machine.hpp"
#include "rows/overlap_index.hpp"

namespace gristmill::score {

class InvertedScorer {
 public:
  // One per thread. Between calls all counters are zero.
  struct Scratch {
    rows::OverlapIndex::Query query;
    rows::OverlapIndex::Counters counters;  // features shared with x, per support row
    std::vector<RowId> touched;             // rows with a counter above zero, in order of first touch
    std::vector<double> kernel_increments;  // k(m_i) - k(0) of every support row, for several outputs
  };

  explicit InvertedScorer(std::shared_ptr<const machine::PolynomialMachine> machine);

  // Whether rows are noted as they are touched. That costs more than passing over all rows once a good part of them is.
  [[nodiscard]] static bool notes_touched(std::size_t postings, std::size_t columns, std::size_t rows) noexcept {
    return columns == 0 && postings < rows / 4;
  }

  [[nodiscard]] std::size_t outputs() const noexcept { return base_.size(); }
  [[nodiscard]] std::size_t nbytes() const noexcept;
  [[nodiscard]] Scratch make_scratch() const;

  // How often the features of x occur in the support rows, |x|B in the paper: the cost of scoring x by postings.
  [[nodiscard]] std::size_t occurrences(rows::Row x) const;

  // Writes outputs() scores. Equals DirectScorer up to the order of summation.
  void score(rows::Row x, std::span<double> out, Scratch& scratch) const;

 private:
  template <class Counter>
  void add_all(std::span<double> out, std::vector<Counter>& counters, std::vector<double>& kernel_increments) const;
  template <class Counter>
  void add_touched(std::span<double> out, std::vector<Counter>& counters, std::span<const RowId> touched) const;

  std::shared_ptr<const machine::PolynomialMachine> machine_;
  rows::OverlapIndex index_;
  std::vector<double> kernel_increment_;  // kernel_increment_[m] = k(m) - k(0)
  std::vector<double> base_;              // b + k(0) * sum of a, per output
};

}  // namespace gristmill::score
