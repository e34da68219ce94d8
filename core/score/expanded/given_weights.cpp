// SPDX-License-Identifier: BSD-3-Clause
#include "score/expanded/given_weights.hpp"

namespace gristmill::score::expanded {

Term SingleGiven::evaluate(const Places& branch, unsigned) {
  value_ = 0;
  const rows::ConjunctionIndex::Place end = index_.first_longer(branch);
  for (auto place = branch.begin; place < end; ++place) value_ += coef_[index_.number(place)];
  return {value_ != 0, {value_, value_}, 0};
}

Range SingleGiven::reach_below(const Places& branch, unsigned) const {
  Range range;
  for (auto place = index_.first_longer(branch); place < branch.end; ++place) {
    const double a = coef_[index_.number(place)];
    (a > 0 ? range.high : range.low) += a;
  }
  return range;
}

Term MultiGiven::evaluate(const Places& branch, unsigned) {
  std::ranges::fill(values_, 0.0);
  const rows::ConjunctionIndex::Place end = index_.first_longer(branch);
  for (auto place = branch.begin; place < end; ++place) coef_.add_row(index_.number(place), 1.0, values_);
  double least = 0;
  double most = 0;
  for (const double weight : values_) {
    least = std::min(least, weight);
    most = std::max(most, weight);
  }
  return {least < most, {least - most, most - least}, 0};
}

Range MultiGiven::reach_below(const Places& branch, unsigned) const {
  double apart = 0;
  for (auto place = index_.first_longer(branch); place < branch.end; ++place) {
    double largest = 0;
    coef_.for_each_in_row(index_.number(place),
                          [&](std::size_t, double a) { largest = std::max(largest, std::abs(a)); });
    apart += 2 * largest;
  }
  return {-apart, apart};
}

}  // namespace gristmill::score::expanded
