// SPDX-License-Identifier: BSD-3-Clause
#include "score/expanded/weights.hpp"

namespace gristmill::score::expanded {
namespace {

std::vector<double> largest_of_rows(const machine::Coefficients& coef) {
  std::vector<double> largest(coef.rows(), 0.0);
  for (std::size_t row = 0; row < coef.rows(); ++row) {
    coef.for_each_in_row(row, [&](std::size_t, double a) { largest[row] = std::max(largest[row], std::abs(a)); });
  }
  return largest;
}

// largest: of the subset weights. Sums round, so a little room is left: searching in vain is harmless.
bool can_be_kept(double largest, double positive, double negative, const machine::Thresholds& thresholds) {
  largest *= 1 + 1e-9;
  return largest * positive >= thresholds.positive || largest * negative <= thresholds.negative;
}

}  // namespace

std::vector<double> only_column(const machine::Coefficients& coef) {
  std::vector<double> column(coef.rows(), 0.0);
  for (std::size_t row = 0; row < column.size(); ++row) coef.add_row(row, 1.0, std::span(column).subspan(row, 1));
  return column;
}

SubsetBounds::SubsetBounds(std::vector<double> weights, std::size_t longest)
    : weights_(std::move(weights)),
      largest_(weights_.size() > 1 ? *std::max_element(weights_.begin() + 1, weights_.end()) : 0.0),
      longest_(longest),
      below_(weights_.size() * (longest + 1), 0.0) {
  for (std::size_t size = 0; size < weights_.size(); ++size) {
    for (std::size_t more_frequent = 0; more_frequent <= longest; ++more_frequent) {
      double choices = 1;  // binomial(more_frequent, more)
      for (std::size_t more = 1; size + more < weights_.size() && more <= more_frequent; ++more) {
        choices *= static_cast<double>(more_frequent - more + 1) / static_cast<double>(more);
        below_[size * (longest + 1) + more_frequent] += weights_[size + more] * choices;
      }
    }
  }
}

double SubsetBounds::below(unsigned size, std::size_t more_frequent) const {
  return below_[size * (longest_ + 1) + std::min(more_frequent, longest_)];
}

SingleWeights::SingleWeights(const machine::SetMachine& machine, std::size_t longest, machine::PkeThresholds keep,
                             std::size_t block)
    : SingleStore(block),
      bounds_(machine.kernel.polynomial().subset_weights(), longest),
      coef_(only_column(machine.coef)),
      keep_(keep),
      thresholds_(machine::thresholds_of(machine.coef, keep.sigma)[0]) {}

Term SingleWeights::evaluate(Places places, unsigned size) {
  double sum = 0;
  std::size_t count = 0;
  for (const auto place : places) {
    sum += coef_[place.row];
    count += coef_[place.row] != 0 ? 1 : 0;
  }
  return evaluate(sum, count, size);
}

Term SingleWeights::evaluate(double sum, std::size_t count, unsigned size) {
  const double weight = bounds_.weight(size) * sum;
  const bool kept = weight != 0 && count >= keep_.xi && thresholds_.keep(weight);
  value_ = kept ? weight : 0;
  return {kept, {value_, value_}, kept ? 0 : std::abs(weight)};
}

bool SingleWeights::may_grow(Places places) const {
  if (keep_.everything()) return true;
  double positive = 0;
  double negative = 0;
  for (const auto place : places) (coef_[place.row] > 0 ? positive : negative) += coef_[place.row];
  return places.size() >= keep_.xi && can_be_kept(bounds_.largest(), positive, negative, thresholds_);
}

double SingleWeights::below(Places places, unsigned size) const {
  double sum = 0;
  for (const auto place : places) sum += std::abs(coef_[place.row]) * bounds_.below(size, place.at);
  return sum;
}

Range SingleWeights::reach_below(Places places, unsigned size) const {
  Range range;
  for (const auto place : places) {
    const double a = coef_[place.row];
    (a > 0 ? range.high : range.low) += a * bounds_.below(size, place.at);
  }
  return range;
}

MultiWeights::MultiWeights(const machine::SetMachine& machine, std::size_t longest, machine::PkeThresholds keep,
                           std::size_t block)
    : MultiStore(machine.outputs(), block),
      bounds_(machine.kernel.polynomial().subset_weights(), longest),
      coef_(machine.coef),
      keep_(keep),
      thresholds_(machine::thresholds_of(machine.coef, keep.sigma)),
      largest_(largest_of_rows(machine.coef)),
      counts_(machine.outputs(), 0),
      positive_(machine.outputs(), 0.0),
      negative_(machine.outputs(), 0.0) {}

Term MultiWeights::evaluate(Places places, unsigned size) {
  std::ranges::fill(values_, 0.0);
  for (const auto place : places) coef_.add_row(place.row, 1.0, values_);
  if (keep_.xi > 1) count_rows(places);
  Term term{false, {}, 0};
  double least = 0;
  double most = 0;
  for (std::size_t output = 0; output < values_.size(); ++output) {
    double& weight = values_[output];
    weight *= bounds_.weight(size);
    if ((keep_.xi <= 1 || counts_[output] >= keep_.xi) && thresholds_[output].keep(weight)) {
      term.kept = term.kept || weight != 0;
      least = std::min(least, weight);
      most = std::max(most, weight);
    } else {
      term.dropped = std::max(term.dropped, std::abs(weight));
      weight = 0;
    }
  }
  term.reach = {least - most, most - least};
  return term;
}

void MultiWeights::count_rows(Places places) {
  std::ranges::fill(counts_, 0);
  for (const auto place : places) {
    coef_.for_each_in_row(place.row, [&](std::size_t output, double a) { counts_[output] += a != 0 ? 1 : 0; });
  }
}

bool MultiWeights::may_grow(Places places) {
  if (keep_.everything()) return true;
  if (places.size() < keep_.xi) return false;
  std::ranges::fill(positive_, 0.0);
  std::ranges::fill(negative_, 0.0);
  for (const auto place : places) {
    coef_.for_each_in_row(place.row,
                          [&](std::size_t output, double a) { (a > 0 ? positive_ : negative_)[output] += a; });
  }
  for (std::size_t output = 0; output < positive_.size(); ++output) {
    if (can_be_kept(bounds_.largest(), positive_[output], negative_[output], thresholds_[output])) return true;
  }
  return false;
}

double MultiWeights::below(Places places, unsigned size) const {
  double sum = 0;
  for (const auto place : places) sum += largest_[place.row] * bounds_.below(size, place.at);
  return sum;
}

Range MultiWeights::reach_below(Places places, unsigned size) const {
  const double apart = 2 * below(places, size);
  return {-apart, apart};
}

}  // namespace gristmill::score::expanded
