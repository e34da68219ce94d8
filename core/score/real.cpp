// SPDX-License-Identifier: BSD-3-Clause
#include "score/real.hpp"

#include "score/sums.hpp"

namespace gristmill::score {
namespace {

double square_of(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) sum += value * value;
  return sum;
}

std::vector<double> squares_of(const machine::SetMachine& machine) {
  std::vector<double> squares(machine.support().size());
  for (std::size_t row = 0; row < squares.size(); ++row) {
    squares[row] = machine.values.empty() ? static_cast<double>(machine.support().length(row))
                                          : square_of(machine.real_support().values_of(row));
  }
  return squares;
}

}  // namespace

RealScorer::RealScorer(std::shared_ptr<const machine::SetMachine> machine)
    : machine_(std::move(machine)),
      features_(machine_->support()),
      ranks_(ranks_of(features_, machine_->ids)),
      squares_(squares_of(*machine_)) {}

RealScorer::Scratch RealScorer::make_scratch() const {
  return {std::vector<double>(features_.size(), 0.0), std::vector<double>(machine_->support().size())};
}

double RealScorer::dot(std::size_t row, const Scratch& scratch) const {
  const rows::Rows support = machine_->support();
  const std::span<const rows::Rank> ranks = row_of(support, ranks_, row);
  double sum = 0.0;
  if (machine_->values.empty()) {
    for (const rows::Rank rank : ranks) sum += scratch.values[rank];
  } else {
    const std::span<const double> values = machine_->real_support().values_of(row);
    for (std::size_t at = 0; at < ranks.size(); ++at) sum += values[at] * scratch.values[ranks[at]];
  }
  return sum;
}

void RealScorer::score(rows::Row x, std::span<const double> values, std::span<double> out, Scratch& scratch) const {
  for_each_known(features_, x, [&](rows::Rank rank, std::size_t at) { scratch.values[rank] = values[at]; });
  const double square = square_of(values);
  for (std::size_t row = 0; row < scratch.similarity.size(); ++row) {
    scratch.similarity[row] = machine_->kernel(dot(row, scratch), square, squares_[row]);
  }
  std::ranges::fill(out, 0.0);
  machine_->coef.add_rows(scratch.similarity, out);
  add_to(out, machine_->intercept);
  for_each_known(features_, x, [&](rows::Rank rank, std::size_t) { scratch.values[rank] = 0.0; });
}

std::size_t RealScorer::nbytes() const noexcept {
  return features_.nbytes() + ranks_.size() * sizeof(rows::Rank) + squares_.size() * sizeof(double) +
         machine_->nbytes();
}

}  // namespace gristmill::score
