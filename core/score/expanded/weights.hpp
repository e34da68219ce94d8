// SPDX-License-Identifier: BSD-3-Clause
// The weight of a conjunction, w(s) = c(|s|) * sum of a_i over the support rows that hold s, for one output or several;
// what of it is kept; and bounds on what the kept and the dropped part can do to a score.
#pragma once
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "base/large_pages.hpp"
#include "machine/machine.hpp"
#include "machine/pke_thresholds.hpp"
#include "rows/projection.hpp"
#include "rows/ranked_rows.hpp"
#include "score/expanded/output_rows.hpp"
#include "score/expanded/top_sums.hpp"

namespace gristmill::score::expanded {

// A conjunction as far as bounds are concerned.
struct Term {
  bool kept = true;    // for some output
  Range reach;         // of the kept weight: see ScoreBounds
  double dropped = 0;  // the largest weight that was not kept, over the outputs
};

// The column of a machine with one output, whichever way it is kept.
[[nodiscard]] std::vector<double> only_column(const machine::Coefficients& coef);

// What both kinds share: the subset weights, and what a branch that is not searched can hold at most.
class SubsetBounds {
 public:
  SubsetBounds(std::vector<double> weights, std::size_t longest);

  [[nodiscard]] double weight(unsigned size) const { return weights_[size]; }
  [[nodiscard]] double largest() const noexcept { return largest_; }  // C_d of the paper
  // Sum of the weights of all conjunctions that extend one of `size` features by some of `more_frequent` others.
  [[nodiscard]] double below(unsigned size, std::size_t more_frequent) const;

 private:
  std::vector<double> weights_;
  double largest_;
  std::size_t longest_;
  std::vector<double> below_;  // by size and more_frequent
};

// Where weights of one output go. store() and store_in_block() speak of the one evaluated last.
class SingleStore {
 public:
  using Weight = double;

  [[nodiscard]] Weight store() const { return value_; }
  [[nodiscard]] static Weight nothing() { return 0; }
  void store_in_block(std::size_t at) { block_[at] = value_; }

  [[nodiscard]] std::size_t nbytes() const noexcept { return block_.size() * sizeof(double); }
  [[nodiscard]] LargeVector<double> take_block() { return std::move(block_); }

 protected:
  explicit SingleStore(std::size_t block) : block_(block, 0.0) {}

  double value_ = 0;

 private:
  LargeVector<double> block_;
};

// The same for several outputs.
class MultiStore {
 public:
  using Weight = RowRef;

  [[nodiscard]] Weight store() { return rows_.append(values_); }
  [[nodiscard]] Weight nothing() const noexcept { return nothing_; }  // an empty list
  void store_in_block(std::size_t at) { std::ranges::copy(values_, rows_.block_row(at).begin()); }

  [[nodiscard]] std::size_t nbytes() const noexcept { return rows_.nbytes(); }
  [[nodiscard]] OutputRows take_rows() { return rows_.finish(); }

 protected:
  MultiStore(std::size_t outputs, std::size_t block)
      : values_(outputs, 0.0), rows_(outputs, block), nothing_(rows_.append(values_)) {}

  std::vector<double> values_;  // one per output

 private:
  OutputRowsBuilder rows_;
  RowRef nothing_;
};

class SingleWeights : public SingleStore {
 public:
  using Source = rows::RankedRows;
  using Split = rows::Projection;
  using Places = std::span<const rows::RankedRows::Place>;

  SingleWeights(const machine::SetMachine& machine, std::size_t longest, machine::PkeThresholds keep,
                std::size_t block);

  // count: of rows with a coefficient.
  Term evaluate(Places places, unsigned size);
  Term evaluate(double sum, std::size_t count, unsigned size);

  // False when no conjunction that extends this one can be kept.
  [[nodiscard]] bool may_grow(Places places) const;
  // How much the conjunctions that extend this one can weigh together: as an error, and as a reach.
  [[nodiscard]] double below(Places places, unsigned size) const;
  [[nodiscard]] Range reach_below(Places places, unsigned size) const;

  // Whether conjunctions may be left out.
  [[nodiscard]] bool may_drop() const noexcept { return !keep_.everything(); }
  [[nodiscard]] std::span<const double> coef() const noexcept { return coef_; }

 private:
  SubsetBounds bounds_;
  std::vector<double> coef_;
  machine::PkeThresholds keep_;
  machine::Thresholds thresholds_;
};

class MultiWeights : public MultiStore {
 public:
  using Source = rows::RankedRows;
  using Split = rows::Projection;
  using Places = std::span<const rows::RankedRows::Place>;

  MultiWeights(const machine::SetMachine& machine, std::size_t longest, machine::PkeThresholds keep, std::size_t block);

  Term evaluate(Places places, unsigned size);

  [[nodiscard]] bool may_grow(Places places);
  [[nodiscard]] double below(Places places, unsigned size) const;
  [[nodiscard]] Range reach_below(Places places, unsigned size) const;

  [[nodiscard]] bool may_drop() const noexcept { return !keep_.everything(); }
  [[nodiscard]] const machine::Coefficients& coef() const noexcept { return coef_; }

 private:
  void count_rows(Places places);

  SubsetBounds bounds_;
  const machine::Coefficients& coef_;
  machine::PkeThresholds keep_;
  std::vector<machine::Thresholds> thresholds_;
  std::vector<double> largest_;  // |a| of each support row, over its outputs
  std::vector<std::size_t> counts_;
  std::vector<double> positive_;
  std::vector<double> negative_;
};

}  // namespace gristmill::score::expanded
