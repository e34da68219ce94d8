// SPDX-License-Identifier: BSD-3-Clause
// The learning loop: score, compare, step (docs/formulas.md B1). With one output classes 0 and 1 are its signs; with
// several each class has one, and a step moves the right class away from its highest rival.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "solve/online/margins.hpp"
#include "solve/online/row_finder.hpp"
#include "solve/online/support_budget.hpp"

namespace gristmill::solve::online {

struct LearnerStats {
  std::uint64_t examples = 0;
  std::uint64_t updates = 0;
  std::uint64_t mistakes = 0;   // the class was wrong before the update
  std::uint64_t cut_short = 0;  // margins that were not finished
  double loss = 0;              // sum of 1 - margin over updates
};

// An example with its class and the factor of its C.
struct LabelledExample {
  Example x;
  std::int32_t label;
  double weight;
};

template <class Number>
class Learner {
 public:
  using MakeMargins = std::function<std::unique_ptr<Margins<Number>>(const Rule<Number>&)>;

  Learner(const kernel::PolynomialKernel& kernel, const RuleOptions& rule, std::size_t outputs, int exponent,
          const MakeMargins& make_margins);

  // With other numbers, from where the other one is.
  template <class Other>
  void continue_from(const Learner<Other>& other);
  // From a log, as if its steps had been taken here.
  void continue_from(SupportLog<Number> log, const LearnerStats& stats);

  // See Margins.
  void expect(const RankRows& examples, Crew& crew) { margins_->expect(examples, log_, crew); }
  void offer(KeptScores<Number> kept) { margins_->offer(std::move(kept)); }
  void forget_examples() noexcept { margins_->forget_examples(); }
  void begin_pass(bool final) { margins_->begin_pass(final, log_); }
  std::size_t look_ahead(std::span<const RowId> next) { return margins_->look_ahead(next, log_); }

  // stored: the row of the example in the log, or no_row if that is not known; set by a step. Throws TooNarrow before
  // anything has changed when numbers would leave their range.
  void learn(const LabelledExample& example, RowId& stored);

  [[nodiscard]] const SupportLog<Number>& log() const noexcept { return log_; }
  [[nodiscard]] const LearnerStats& stats() const noexcept { return stats_; }
  [[nodiscard]] const Margins<Number>& margins() const noexcept { return *margins_; }
  [[nodiscard]] int exponent() const noexcept { return exponent_; }

  // Rows x outputs: the coefficients now, or averaged over the models after each example. Those of a row go to its
  // place, which may be another row that is equal to it.
  [[nodiscard]] std::vector<double> coefficients(bool averaged, std::span<const RowId> place) const;

  static constexpr RowId no_row = RowFinder::no_row;

 private:
  template <class Other>
  friend class Learner;

  void note_length(std::size_t length);
  [[nodiscard]] Number norm_of(std::size_t length);
  void take_step(const LabelledExample& example, Step<Number> step, RowId& stored);
  [[nodiscard]] RowId place_of(std::span<const rows::Rank> ranks);
  void append(const Step<Number>& step);
  template <class Sum>
  [[nodiscard]] std::vector<double> summed_up(bool averaged, std::uint64_t total, std::span<const RowId> place) const;

  kernel::PolynomialKernel kernel_;
  RuleOptions options_;
  Rule<Number> rule_;
  std::size_t outputs_;
  int exponent_;
  std::unique_ptr<Margins<Number>> margins_;
  SupportLog<Number> log_;
  RowFinder finder_;
  LearnerStats stats_;
  SupportBudget<Number> budget_;
  std::vector<Number> scores_;
  std::vector<Number> values_;  // of the kernel, for norms
  Number mass_{0};              // sizes of all steps
  Number largest_mass_{0};
  std::size_t longest_ = 0;
};

}  // namespace gristmill::solve::online
