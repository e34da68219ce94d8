// SPDX-License-Identifier: BSD-3-Clause
#include "score/conjunction_direct.hpp"

#include <algorithm>

#include "score/sums.hpp"

namespace gristmill::score {

ConjunctionDirect::ConjunctionDirect(std::shared_ptr<const machine::ConjunctionMachine> machine)
    : machine_(std::move(machine)), features_(machine_->support()), ranks_(ranks_of(features_, machine_->ids)) {}

void ConjunctionDirect::score(rows::Row x, std::span<double> out, Scratch& scratch) const {
  for_each_known(features_, x, [&](rows::Rank rank, std::size_t) { scratch.marked[rank] = 1; });
  std::ranges::fill(out, 0.0);
  const rows::Rows support = machine_->support();
  for (std::size_t row = 0; row < support.size(); ++row) {
    const std::span<const rows::Rank> ranks = row_of(support, ranks_, row);
    const auto is_marked = [&](rows::Rank rank) { return scratch.marked[rank] != 0; };
    if (std::ranges::all_of(ranks, is_marked)) machine_->coef.add_row(row, 1.0, out);
  }
  add_to(out, machine_->intercept);
  for_each_known(features_, x, [&](rows::Rank rank, std::size_t) { scratch.marked[rank] = 0; });
}

std::size_t ConjunctionDirect::nbytes() const noexcept {
  return features_.nbytes() + ranks_.size() * sizeof(rows::Rank) + machine_->nbytes();
}

}  // namespace gristmill::score
