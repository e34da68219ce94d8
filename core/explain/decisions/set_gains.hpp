// SPDX-License-Identifier: BSD-3-Clause
// Gains for kernels of sets that depend on lengths too (RBF, Tanimoto, cosine, Dice): every feature that comes or goes
// changes the kernel with all support rows. So a step looks at all of them, and how two steps help each other is
// bounded by the range of the kernel alone: few steps are searched to the end, more are not.
#pragma once
#include <memory>
#include <vector>

#include "explain/decisions/changing_row.hpp"
#include "explain/decisions/gain_levels.hpp"

namespace gristmill::explain::decisions {

class SetSource final : public GainSource {
 public:
  // All features that variables may have are in the support's, also those of no support row.
  explicit SetSource(SupportLists support);

  [[nodiscard]] std::unique_ptr<Gains> gains() const override;
  [[nodiscard]] std::size_t nbytes() const noexcept override;

 private:
  friend class SetGains;

  SupportLists support_;
  std::vector<double> totals_;  // by output: sum of |a_i|
};

class SetGains final : public Gains {
 public:
  explicit SetGains(const SetSource& source);

  void start(std::span<const Slot> present, const Steps& steps) override;
  void take(Step step) override;
  void undo() override;
  [[nodiscard]] const double* of(std::size_t output) const override { return levels_.of(output); }
  void interactions(std::size_t own, Step step, std::size_t others, const Combination& combination,
                    std::span<double> out) override;
  [[nodiscard]] bool pairwise() const noexcept override { return true; }
  [[nodiscard]] double rounding(std::size_t output, std::size_t steps) const override;

 private:
  // The kernel with a support row: as it is, with an overlap of one fewer or more, of a row that is one shorter or
  // longer.
  struct Values {
    double now, fewer, more, shorter, shorter_fewer, longer, longer_more;
  };
  void find_gains();
  [[nodiscard]] Values values_at(std::size_t row) const;
  void add_row(std::size_t row, const Values& values);

  const SetSource& source_;
  GainLevels levels_;
  ChangingRow row_;
  std::vector<std::uint8_t> is_shared_;  // by slot: whether the support row that is looked at has it
};

}  // namespace gristmill::explain::decisions
