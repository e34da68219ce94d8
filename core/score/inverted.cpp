// SPDX-License-Identifier: BSD-3-Clause
#include "score/inverted.hpp"

#include <array>

#include "score/sums.hpp"

namespace gristmill::score {
namespace {

std::vector<double> kernel_increments(const kernel::PolynomialKernel& kernel, std::size_t longest) {
  std::vector<double> kernel_increment = kernel.values(longest);
  const double floor = kernel_increment[0];
  for (double& value : kernel_increment) value -= floor;
  return kernel_increment;
}

std::vector<double> scores_of_the_empty_row(const machine::PolynomialMachine& machine) {
  std::vector<double> base(machine.outputs(), 0.0);
  const double floor = machine.kernel(0.0);
  machine.coef.add_rows(std::vector<double>(machine.support().size(), floor), base);
  add_to(base, machine.intercept);
  return base;
}

// One output: sum of a_i kernel_increment[m_i] in eight lanes, so that additions need not wait for one another.
template <class Counter>
double weighted_increments(std::span<const double> coef, std::span<const Counter> counters,
                           const double* kernel_increment) {
  constexpr std::size_t lanes = 8;
  std::array<double, lanes> sums{};
  std::size_t row = 0;
  for (; row + lanes <= counters.size(); row += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane)
      sums[lane] += coef[row + lane] * kernel_increment[counters[row + lane]];
  }
  for (std::size_t lane = 0; row < counters.size(); ++row, ++lane)
    sums[lane] += coef[row] * kernel_increment[counters[row]];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

}  // namespace

InvertedScorer::InvertedScorer(std::shared_ptr<const machine::PolynomialMachine> machine)
    : machine_(std::move(machine)),
      index_(machine_->support()),
      kernel_increment_(kernel_increments(machine_->kernel, index_.longest())),
      base_(scores_of_the_empty_row(*machine_)) {}

InvertedScorer::Scratch InvertedScorer::make_scratch() const {
  const std::size_t kernel_increments = machine_->coef.only_column().empty() ? index_.rows() : 0;
  return {{}, index_.make_counters(), {}, std::vector<double>(kernel_increments)};
}

void InvertedScorer::score(rows::Row x, std::span<double> out, Scratch& scratch) const {
  std::ranges::copy(base_, out.begin());
  index_.look_up(x, scratch.query);
  const bool few = notes_touched(scratch.query.postings, scratch.query.columns, index_.rows());
  std::visit(
      [&](auto& counters) {
        if (few) {
          index_.count_touched(scratch.query, counters, scratch.touched);
          add_touched(out, counters, scratch.touched);
        } else {
          index_.count(scratch.query, counters);
          add_all(out, counters, scratch.kernel_increments);
        }
      },
      scratch.counters);
}

template <class Counter>
void InvertedScorer::add_all(std::span<double> out, std::vector<Counter>& counters,
                             std::vector<double>& kernel_increments) const {
  if (const std::span<const double> column = machine_->coef.only_column(); !column.empty()) {
    out[0] += weighted_increments<Counter>(column, counters, kernel_increment_.data());
  } else {
    for (std::size_t row = 0; row < counters.size(); ++row) kernel_increments[row] = kernel_increment_[counters[row]];
    machine_->coef.add_rows(kernel_increments, out);
  }
  std::ranges::fill(counters, Counter{0});
}

template <class Counter>
void InvertedScorer::add_touched(std::span<double> out, std::vector<Counter>& counters,
                                 std::span<const RowId> touched) const {
  for (const RowId row : touched) {
    machine_->coef.add_row(row, kernel_increment_[counters[row]], out);
    counters[row] = 0;
  }
}

std::size_t InvertedScorer::occurrences(rows::Row x) const {
  std::size_t total = 0;
  for_each_known(index_.features(), x, [&](rows::Rank rank, std::size_t) { total += index_.features().count(rank); });
  return total;
}

std::size_t InvertedScorer::nbytes() const noexcept {
  return index_.nbytes() + machine_->nbytes() + (kernel_increment_.size() + base_.size()) * sizeof(double);
}

}  // namespace gristmill::score
