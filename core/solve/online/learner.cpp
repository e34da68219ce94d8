// SPDX-License-Identifier: BSD-3-Clause
#include "solve/online/learner.hpp"

#include <algorithm>

namespace gristmill::solve::online {
namespace {

struct Verdict {
  std::int32_t rival;
  bool mistaken;
};

// The class with the highest score apart from the right one; ties go to the first.
template <class Number>
std::int32_t highest_rival(std::span<const Number> scores, std::int32_t label) {
  std::int32_t rival = label == 0 ? 1 : 0;
  for (std::int32_t k = 0; k < static_cast<std::int32_t>(scores.size()); ++k) {
    if (k != label && scores[static_cast<std::size_t>(k)] > scores[static_cast<std::size_t>(rival)]) rival = k;
  }
  return rival;
}

}  // namespace

template <class Number>
Learner<Number>::Learner(const kernel::PolynomialKernel& kernel, const RuleOptions& rule, std::size_t outputs,
                         int exponent, const MakeMargins& make_margins)
    : kernel_(kernel),
      options_(rule),
      rule_(rule, exponent),
      outputs_(outputs),
      exponent_(exponent),
      margins_(make_margins(rule_)),
      budget_(rule.budget, outputs),
      scores_(outputs),
      values_(kernel_values<Number>(kernel, 0)),
      largest_mass_(largest_mass<Number>(kernel, 0)) {}

template <class Number>
template <class Other>
void Learner<Number>::continue_from(const Learner<Other>& other) {
  SupportLog<Number> log{other.log_.rows, {}};
  for (const Step<Other>& step : other.log_.steps) {
    log.steps.push_back({step.row, step.up, step.down, static_cast<Number>(step.size), step.time});
  }
  continue_from(std::move(log), other.stats_);
}

template <class Number>
void Learner<Number>::continue_from(SupportLog<Number> log, const LearnerStats& stats) {
  stats_ = stats;
  for (RowId row = 0; row < log.rows.size(); ++row) {
    note_length(log.rows[row].size());
    finder_.insert(log.rows[row], row);
  }
  log_.rows = std::move(log.rows);
  for (const Step<Number>& step : log.steps) {
    if (mass_ > largest_mass_ - step.size) throw TooNarrow();
    append(step);
  }
}

template <class Number>
void Learner<Number>::note_length(std::size_t length) {
  if (length <= longest_) return;
  largest_mass_ = largest_mass<Number>(kernel_, length);
  longest_ = length;
}

template <class Number>
Number Learner<Number>::norm_of(std::size_t length) {
  const Number times = outputs_ == 1 ? 1 : 2;
  if (options_.norm == StepNorm::input) return times * static_cast<Number>(length);
  if (length >= values_.size()) values_ = kernel_values<Number>(kernel_, 2 * length);
  return times * values_[length];
}

template <class Number>
void Learner<Number>::learn(const LabelledExample& example, RowId& stored) {
  const std::size_t length = example.x.ranks.size();
  note_length(length);
  if (mass_ > largest_mass_) throw TooNarrow();
  const Sign sign = outputs_ > 1 ? 0 : example.label == 1 ? 1 : -1;
  if (!margins_->scores(example.x, sign, log_, scores_)) {
    ++stats_.examples;
    ++stats_.cut_short;
    return;
  }
  const std::int32_t rival = outputs_ == 1 ? 0 : highest_rival<Number>(scores_, example.label);
  const Number margin =
      outputs_ == 1 ? static_cast<Number>(sign) * scores_[0]
                    : scores_[static_cast<std::size_t>(example.label)] - scores_[static_cast<std::size_t>(rival)];
  const Number norm = norm_of(length);
  const bool unknown = length == 0 && values_[0] == 0;  // to the kernel
  const Number size = unknown || rule_.is_fine(margin) ? Number{0} : rule_.step(margin, norm, example.weight, length);
  if (size == 0) {
    ++stats_.examples;
    return;
  }
  if (mass_ > largest_mass_ - size) throw TooNarrow();
  const std::int32_t nobody = Step<Number>::nobody;
  const std::int32_t up = outputs_ > 1 ? example.label : sign > 0 ? 0 : nobody;
  const std::int32_t down = outputs_ > 1 ? rival : sign > 0 ? nobody : 0;
  stats_.mistakes += margin <= 0 ? 1 : 0;
  stats_.loss += 1 - value_of(margin, exponent_);
  take_step(example, {0, up, down, size, stats_.examples}, stored);
  ++stats_.examples;
}

template <class Number>
void Learner<Number>::take_step(const LabelledExample& example, Step<Number> step, RowId& stored) {
  if (stored == no_row) stored = place_of(example.x.ranks);
  step.row = stored;
  append(step);
  ++stats_.updates;
  while (const auto excess = budget_.excess(step.time)) append(*excess);
}

template <class Number>
RowId Learner<Number>::place_of(std::span<const rows::Rank> ranks) {
  RowId row = finder_.find(log_.rows, ranks);
  if (row == no_row) {
    row = log_.rows.append(ranks);
    finder_.insert(ranks, row);
  }
  return row;
}

template <class Number>
void Learner<Number>::append(const Step<Number>& step) {
  log_.steps.push_back(step);
  mass_ += step.size;
  budget_.note(step);
  margins_->add(log_);
}

// Averaging by what each step misses of the whole time (Daume 2006): a - u / T with u = sum of size * time.
template <class Number>
template <class Sum>
std::vector<double> Learner<Number>::summed_up(bool averaged, std::uint64_t total, std::span<const RowId> place) const {
  std::vector<Sum> sums(log_.rows.size() * outputs_, Sum{0});
  for (const Step<Number>& step : log_.steps) {
    const Sum size = static_cast<Sum>(step.size) * static_cast<Sum>(averaged ? total - step.time : 1);
    const std::span<Sum> row = std::span(sums).subspan(place[step.row] * outputs_, outputs_);
    add_step(Step<Sum>{step.row, step.up, step.down, size, 0}, Sum{1}, row);
  }
  std::vector<double> coef(sums.size());
  std::ranges::transform(sums, coef.begin(), [&](Sum sum) {
    return std::ldexp(static_cast<double>(sum), -exponent_) / static_cast<double>(total);
  });
  return coef;
}

template <class Number>
std::vector<double> Learner<Number>::coefficients(bool averaged, std::span<const RowId> place) const {
  const std::uint64_t total = averaged ? std::max<std::uint64_t>(stats_.examples, 1) : 1;
  if constexpr (is_integer<Number>) {
    if (mass_ < largest_number<Wide> / static_cast<Wide>(total)) return summed_up<Wide>(averaged, total, place);
  }
  return summed_up<double>(averaged, total, place);
}

template class Learner<std::int64_t>;
template class Learner<Wide>;
template class Learner<double>;
template void Learner<Wide>::continue_from(const Learner<std::int64_t>&);

}  // namespace gristmill::solve::online
