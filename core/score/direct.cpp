// SPDX-License-Identifier: BSD-3-Clause
#include "score/direct.hpp"

#include "score/sums.hpp"

namespace gristmill::score {

DirectScorer::DirectScorer(std::shared_ptr<const machine::SetMachine> machine)
    : machine_(std::move(machine)),
      features_(machine_->support()),
      ranks_(ranks_of(features_, machine_->ids)),
      values_(machine_->kernel, machine_->support()) {}

DirectScorer::Scratch DirectScorer::make_scratch() const {
  return {std::vector<std::uint8_t>(features_.size(), 0), std::vector<double>(machine_->support().size())};
}

void DirectScorer::score(rows::Row x, std::span<double> out, Scratch& scratch) const {
  for_each_known(features_, x, [&](rows::Rank rank, std::size_t) { scratch.marked[rank] = 1; });
  const rows::Rows support = machine_->support();
  values_.with(x.size(), [&](auto value) {
    for (std::size_t row = 0; row < support.size(); ++row) {
      std::size_t overlap = 0;
      for (const rows::Rank rank : row_of(support, ranks_, row)) overlap += scratch.marked[rank];
      scratch.similarity[row] = value(row, overlap);
    }
  });
  std::ranges::fill(out, 0.0);
  machine_->coef.add_rows(scratch.similarity, out);
  add_to(out, machine_->intercept);
  for_each_known(features_, x, [&](rows::Rank rank, std::size_t) { scratch.marked[rank] = 0; });
}

std::size_t DirectScorer::nbytes() const noexcept {
  return features_.nbytes() + ranks_.size() * sizeof(rows::Rank) + values_.nbytes() + machine_->nbytes();
}

}  // namespace gristmill::score
