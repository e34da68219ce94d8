// SPDX-License-Identifier: BSD-3-Clause
// Gains straight from the support rows, for kernels that depend on the overlap alone: for machines whose conjunctions
// are too many to be listed, or have no weights. A step looks at the support rows that have one of its features.
// How two steps help each other is bounded by those rows' coefficients alone, so proofs of several changes are rare.
#pragma once
#include <memory>
#include <vector>

#include "base/lists.hpp"
#include "explain/decisions/conjunction_weights.hpp"

namespace gristmill::explain::decisions {

class SupportSource final : public GainSource {
 public:
  SupportSource(std::shared_ptr<const machine::SetMachine> machine, std::shared_ptr<const GroupedFeatures> features);

  [[nodiscard]] std::unique_ptr<Gains> gains() const override;
  [[nodiscard]] std::size_t nbytes() const noexcept override;

 private:
  friend class SupportGains;

  std::shared_ptr<const machine::SetMachine> machine_;
  std::shared_ptr<const GroupedFeatures> features_;
  Lists<Slot> rows_;
  Lists<RowId> postings_;
  std::vector<std::uint8_t> clashes_;  // rows with two features of one group
  std::vector<double> increments_;     // k(m + 1) - k(m)
  std::vector<double> magnitudes_;     // by output
  std::vector<double> bends_;          // outputs x features: how far a second step can bend what a feature adds
};

class SupportGains final : public Gains {
 public:
  explicit SupportGains(const SupportSource& source);

  void start(std::span<const Slot> present, const Steps& steps) override;
  void take(Step step) override;
  void undo() override;
  [[nodiscard]] const double* of(std::size_t output) const override {
    return levels_[level_].data() + output * stride_;
  }
  void interactions(std::size_t own, Step step, std::size_t others, const Combination& combination,
                    std::span<double> out) override;
  [[nodiscard]] bool pairwise() const noexcept override { return true; }
  [[nodiscard]] double rounding(std::size_t output, std::size_t steps) const override;

 private:
  void mark(Slot slot, bool present);
  void add_row(std::size_t row, double sign);
  // Of the features of a row that are present those of one group.
  [[nodiscard]] std::size_t mates(std::size_t row, Slot feature) const;
  [[nodiscard]] std::size_t none() const noexcept { return stride_ - 1; }

  const SupportSource& source_;
  std::size_t stride_;
  std::vector<std::vector<double>> levels_;  // after each step: outputs x stride
  std::size_t level_ = 0;
  std::vector<std::uint8_t> present_;    // by slot
  std::vector<std::uint32_t> overlaps_;  // by support row
  std::vector<Step> taken_;
  std::vector<RowId> touched_;
};

}  // namespace gristmill::explain::decisions
