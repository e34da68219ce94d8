// SPDX-License-Identifier: BSD-3-Clause
// Gains for kernels of sets that depend on lengths too (RBF, Tanimoto, cosine, Dice): every feature that comes or goes
// changes the kernel with all support rows. So a step looks at all of them. How two steps help each other is bounded by
// counts (count_bounds.hpp), support row by support row.
//
// Cost of a step: the features of all support rows; of the interactions of one step: that many as well.
#pragma once
#include <memory>
#include <vector>

#include "explain/decisions/changing_row.hpp"
#include "explain/decisions/count_bounds.hpp"
#include "explain/decisions/gain_levels.hpp"
#include "explain/decisions/shapes.hpp"

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
  Shapes shapes_;
  std::vector<double> totals_;         // by output: sum of |a_i|
  std::vector<std::uint8_t> clashes_;  // rows with two features of one group
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
  [[nodiscard]] bool pairwise() const noexcept override { return false; }
  [[nodiscard]] double rounding(std::size_t output, std::size_t steps) const override;

 private:
  // What a feature adds to the kernel with a support row: to a row without a feature of its group, or in the place of
  // one that the support row does not share, or does; and how much more a feature that is shared adds.
  struct Values {
    double alone, instead, instead_of_shared;
    double alone_more, instead_more, instead_of_shared_more;
  };
  // How much a step adds at most because of another one, if it changes the length so: for all support rows, and more
  // for those that have the feature it comes to, or from.
  struct Together {
    double base = 0;
    std::vector<double> to;    // by slot
    std::vector<double> from;  // by slot
  };
  void find_gains();
  [[nodiscard]] Values values_at(std::size_t row) const;
  void add_row(std::size_t row, double* out);
  void combine(const Combination& combination);
  [[nodiscard]] bool is_too_much(std::size_t others) const;
  void add_together(std::size_t row, Step step);
  [[nodiscard]] StepKind kind_of(Step step, std::span<const Slot> features) const;
  [[nodiscard]] int length_of(Step step) const;
  [[nodiscard]] double together(Step step) const;

  const SetSource& source_;
  GainLevels levels_;
  ChangingRow row_;
  Steps steps_;
  ByShape<Values> values_;
  ByShape<PairRanges> ranges_;
  std::size_t ranges_others_ = 0;  // of them
  std::vector<double> open_;       // by output: what any feature adds whose group has none
  std::vector<double> closed_;     // by output: what any feature adds in the place of one that is not shared
  std::vector<double> instead_;    // outputs x slots: how much more in the place of this one
  Combination combination_;
  std::vector<double> coef_;  // of the combination, by support row
  Together together_[3];      // by the change of the length
};

}  // namespace gristmill::explain::decisions
