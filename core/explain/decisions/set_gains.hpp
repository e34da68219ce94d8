// SPDX-License-Identifier: BSD-3-Clause
// Gains for kernels of sets that depend on lengths too (RBF, Tanimoto, cosine, Dice): every feature that comes or goes
// changes the kernel with all support rows. So a step looks at all of them, and how two steps help each other is
// bounded by the range of the kernel alone: few steps are searched to the end, more are not.
#pragma once
#include <memory>
#include <vector>

#include "base/lists.hpp"
#include "explain/decisions/conjunction_weights.hpp"

namespace gristmill::explain::decisions {

class SetSource final : public GainSource {
 public:
  // All features that variables may have are in `features`, also those of no support row.
  SetSource(std::shared_ptr<const machine::SetMachine> machine, std::shared_ptr<const GroupedFeatures> features);

  [[nodiscard]] std::unique_ptr<Gains> gains() const override;
  [[nodiscard]] std::size_t nbytes() const noexcept override;

 private:
  friend class SetGains;

  std::shared_ptr<const machine::SetMachine> machine_;
  std::shared_ptr<const GroupedFeatures> features_;
  Lists<Slot> rows_;
  Lists<RowId> postings_;
  std::vector<double> totals_;  // by output: sum of |a_i|
};

class SetGains final : public Gains {
 public:
  explicit SetGains(const SetSource& source);

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
  [[nodiscard]] std::size_t none() const noexcept { return stride_ - 1; }
  [[nodiscard]] double kernel(std::size_t overlap, std::size_t length, std::size_t row) const;
  void mark(Slot slot, bool present);
  // The kernel with a support row: as it is, with an overlap of one fewer or more, of a row that is one shorter or
  // longer.
  struct Values {
    double now, fewer, more, shorter, shorter_fewer, longer, longer_more;
  };
  void find_gains();
  [[nodiscard]] Values values_at(std::size_t row) const;
  void add_row(std::size_t row, const Values& values);

  const SetSource& source_;
  std::size_t stride_;
  std::vector<std::vector<double>> levels_;  // after each step: outputs x stride
  std::size_t level_ = 0;
  std::size_t length_ = 0;               // of the row, with features that no variable has
  std::vector<std::uint8_t> present_;    // by slot
  std::vector<std::uint8_t> in_row_;     // by slot: of the support row that is looked at
  std::vector<Slot> own_;                // by group: the feature of it that is present, or none
  std::vector<std::uint32_t> overlaps_;  // by support row
  std::vector<Step> taken_;
};

}  // namespace gristmill::explain::decisions
