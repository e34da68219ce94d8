// SPDX-License-Identifier: BSD-3-Clause
#include "score/conjunction_inverted.hpp"

#include <algorithm>

#include "score/sums.hpp"

namespace gristmill::score {

std::vector<double> base_scores(const machine::ConjunctionMachine& machine, const rows::ConjunctionIndex& index) {
  std::vector<double> base(machine.outputs(), 0.0);
  for (const RowId row : index.empty()) machine.coef.add_row(row, 1.0, base);
  add_to(base, machine.intercept);
  return base;
}

ConjunctionInverted::ConjunctionInverted(std::shared_ptr<const machine::ConjunctionMachine> machine)
    : machine_(std::move(machine)), index_(machine_->support()), base_(base_scores(*machine_, index_)) {}

void ConjunctionInverted::score(rows::Row x, std::span<double> out, Scratch& scratch) const {
  scratch.known.clear();
  for_each_known(index_.features(), x, [&](rows::Rank rank, std::size_t) {
    scratch.known.push_back(rank);
    scratch.marked[rank] = 1;
  });
  std::ranges::copy(base_, out.begin());
  index_.for_each_held(scratch.known, scratch.marked, [&](rows::ConjunctionIndex::Place place) {
    machine_->coef.add_row(index_.number(place), 1.0, out);
  });
  for (const rows::Rank rank : scratch.known) scratch.marked[rank] = 0;
}

std::size_t ConjunctionInverted::nbytes() const noexcept {
  return index_.nbytes() + machine_->nbytes() + base_.size() * sizeof(double);
}

}  // namespace gristmill::score
