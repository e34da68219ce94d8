// SPDX-License-Identifier: BSD-3-Clause
// The inverted-index scorer (PKI; Kudo and Matsumoto 2003, section 4.1), for every kernel of sets.
//
//   f(x) = f_0(x) + sum over support rows i that share a feature with x of a_i * (k(m_i) - k(0))
//
// f_0 is the score of a row that shares nothing with any of them. Where the overlap alone decides it is
// b + k(0) * sum(a); else the sum of k(0) times the coefficients of all rows of a length, over the lengths. A kernel
// that may be nearer to 0 at some overlap than at 0 is added up row by row: rounding of k(0) would outweigh it.
// Groups of support rows that are alike are not looked at one by one (TalliedRows), but for polynomial kernels.
// Cost per example: the postings of its features, for all outputs together. Memory: one posting per support feature
// (frequent features as byte columns, see OverlapIndex).
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "kernel/set_values.hpp"
#include "machine/machine.hpp"
#include "rows/overlap_index.hpp"
#include "score/tallied.hpp"

namespace gristmill::score {

class InvertedScorer {
 public:
  // One per thread. Between calls all counters are zero.
  struct Scratch {
    rows::OverlapIndex::Query query;
    rows::OverlapIndex::Counters counters;  // features shared with x, per support row
    std::vector<RowId> touched;             // rows with a counter above zero, in order of first touch
    std::vector<double> factors;            // of the coefficients of every support row
    TalliedRows::Scratch tallied;
  };

  explicit InvertedScorer(std::shared_ptr<const machine::SetMachine> machine);

  // Whether rows are noted as they are touched. That costs more than passing over all rows once a good part of them is.
  [[nodiscard]] static bool notes_touched(std::size_t postings, std::size_t columns, std::size_t rows) noexcept {
    return columns == 0 && postings < rows / 4;
  }

  [[nodiscard]] std::size_t outputs() const noexcept { return machine_->outputs(); }
  [[nodiscard]] std::size_t nbytes() const noexcept;
  [[nodiscard]] Scratch make_scratch() const;

  // How often the features of x occur in the support rows, |x|B in the paper: the cost of scoring x by postings.
  [[nodiscard]] std::size_t occurrences(rows::Row x) const;

  // Writes outputs() scores. Equals DirectScorer up to the order of summation.
  void score(rows::Row x, std::span<double> out, Scratch& scratch) const;

 private:
  void add_base(std::size_t length, std::span<double> out) const;
  template <class Counter>
  void add_all(std::size_t length, std::span<double> out, std::vector<Counter>& counters,
               std::vector<double>& factors) const;
  template <class Counter>
  void add_touched(std::size_t length, std::span<double> out, std::vector<Counter>& counters,
                   std::span<const RowId> touched) const;

  std::unique_ptr<const TalliedRows> tallied_;          // or none
  std::shared_ptr<const machine::SetMachine> machine_;  // of the other rows
  rows::OverlapIndex index_;
  kernel::SetValues values_;
  std::vector<double> increments_;  // [m] = k(m) - k(0), where the overlap alone decides
  std::vector<double> base_;        // b + k(0) * sum of a, per output, where the overlap alone decides
  std::vector<double> sums_;        // else: coefficients summed by length, different lengths x outputs
};

}  // namespace gristmill::score
