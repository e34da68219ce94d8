// SPDX-License-Identifier: BSD-3-Clause
// Gains straight from the support rows, for kernels that depend on the overlap alone: for machines whose conjunctions
// are too many to be listed, or have no weights. A step looks at the support rows that have one of its features.
// How two steps help each other is bounded by those rows' coefficients alone, so proofs of several changes are rare.
#pragma once
#include <memory>
#include <vector>

#include "explain/decisions/changing_row.hpp"
#include "explain/decisions/gain_levels.hpp"

namespace gristmill::explain::decisions {

class SupportSource final : public GainSource {
 public:
  explicit SupportSource(SupportLists support);

  [[nodiscard]] std::unique_ptr<Gains> gains() const override;
  [[nodiscard]] std::size_t nbytes() const noexcept override;

 private:
  friend class SupportGains;

  void set_increments();
  [[nodiscard]] bool has_two_of_a_group(std::size_t row) const;

  SupportLists support_;
  std::vector<std::uint8_t> clashes_;  // rows with two features of one group
  std::vector<double> increments_;     // k(m + 1) - k(m)
  double largest_ = 0;                 // of |k(m)|
  double bend_ = 0;                    // the largest difference of two increments that follow one another
  std::vector<double> magnitudes_;     // by output
  std::vector<double> bends_;          // outputs x features: how far a second step can bend what a feature adds
};

class SupportGains final : public Gains {
 public:
  explicit SupportGains(const SupportSource& source);

  void start(std::span<const Slot> present, const Steps& steps) override;
  void take(Step step) override;
  void undo() override;
  [[nodiscard]] const double* of(std::size_t output) const override { return levels_.of(output); }
  void interactions(std::size_t own, Step step, std::size_t others, const Combination& combination,
                    std::span<double> out) override;
  [[nodiscard]] bool pairwise() const noexcept override { return true; }
  [[nodiscard]] double rounding(std::size_t output, std::size_t steps) const override;

 private:
  void add_row(std::size_t row, double sign);
  // Of the features of a row that are present those of one group.
  [[nodiscard]] std::size_t mates(std::size_t row, Slot feature) const;
  void touch_rows(Step step);
  [[nodiscard]] Slot none() const noexcept { return source_.support_.features->none(); }

  const SupportSource& source_;
  GainLevels levels_;
  ChangingRow row_;
  std::vector<RowId> touched_;
};

}  // namespace gristmill::explain::decisions
