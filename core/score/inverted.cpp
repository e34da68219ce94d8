// SPDX-License-Identifier: BSD-3-Clause
#include "score/inverted.hpp"

#include "score/sums.hpp"

namespace gristmill::score {
namespace {

std::vector<double> increments_of(std::span<const double> by_overlap) {
  std::vector<double> increments(by_overlap.begin(), by_overlap.end());
  for (double& value : increments) value -= by_overlap[0];
  return increments;
}

std::vector<double> scores_of_the_empty_row(const machine::SetMachine& machine, double floor) {
  std::vector<double> base(machine.outputs(), 0.0);
  machine.coef.add_rows(std::vector<double>(machine.support().size(), floor), base);
  add_to(base, machine.intercept);
  return base;
}

std::vector<double> sums_by_length(const machine::SetMachine& machine, const kernel::SetValues& values) {
  const std::size_t outputs = machine.outputs();
  std::vector<double> sums(values.different().size() * outputs, 0.0);
  for (std::size_t row = 0; row < values.size(); ++row) {
    const std::size_t place = values.place_of(values.lengths()[row]);
    machine.coef.add_row(row, 1.0, std::span(sums).subspan(place * outputs, outputs));
  }
  return sums;
}

}  // namespace

InvertedScorer::InvertedScorer(std::shared_ptr<const machine::SetMachine> machine)
    : tallied_(machine->kernel.is_polynomial() ? nullptr : TalliedRows::of(*machine)),
      machine_(tallied_ ? tallied_->rest() : std::move(machine)),
      index_(machine_->support()),
      values_(machine_->kernel, machine_->support()) {
  if (!values_.least_apart()) return;
  if (const std::span<const double> by_overlap = values_.by_overlap(); !by_overlap.empty()) {
    increments_ = increments_of(by_overlap);
    base_ = scores_of_the_empty_row(*machine_, by_overlap[0]);
  } else {
    sums_ = sums_by_length(*machine_, values_);
  }
}

InvertedScorer::Scratch InvertedScorer::make_scratch() const {
  const bool fused = !machine_->coef.only_column().empty();
  return {{}, index_.make_counters(), {}, std::vector<double>(fused ? 0 : index_.rows()), {}};
}

void InvertedScorer::score(rows::Row x, std::span<double> out, Scratch& scratch) const {
  index_.look_up(x, scratch.query);
  const std::size_t passed = scratch.query.postings + (increments_.empty() ? values_.different().size() : 0);
  const bool few = values_.least_apart() && notes_touched(passed, scratch.query.columns, index_.rows());
  std::visit(
      [&](auto& counters) {
        if (few) {
          index_.count_touched(scratch.query, counters, scratch.touched);
          add_base(x.size(), out);
          add_touched(x.size(), out, counters, scratch.touched);
        } else {
          index_.count(scratch.query, counters);
          add_all(x.size(), out, counters, scratch.factors);
        }
      },
      scratch.counters);
  if (tallied_) tallied_->add(x, out, scratch.tallied);
}

// What is there before any row shares a feature.
void InvertedScorer::add_base(std::size_t length, std::span<double> out) const {
  if (!increments_.empty()) {
    std::ranges::copy(base_, out.begin());
    return;
  }
  std::ranges::copy(machine_->intercept, out.begin());
  const std::span<const std::int32_t> lengths = values_.different();
  for (std::size_t place = 0; place < lengths.size(); ++place) {
    const double apart = values_.kernel()(0.0, static_cast<double>(length), lengths[place]);
    for (std::size_t o = 0; o < out.size(); ++o) out[o] += apart * sums_[place * out.size() + o];
  }
}

template <class Counter>
void InvertedScorer::add_all(std::size_t length, std::span<double> out, std::vector<Counter>& counters,
                             std::vector<double>& factors) const {
  const std::span<const double> column = machine_->coef.only_column();
  if (!increments_.empty()) {
    std::ranges::copy(base_, out.begin());
    const double* increments = increments_.data();
    if (!column.empty()) {
      out[0] += sum_in_lanes(counters.size(), [&](std::size_t row) { return column[row] * increments[counters[row]]; });
    } else {
      for (std::size_t row = 0; row < counters.size(); ++row) factors[row] = increments[counters[row]];
    }
  } else {
    std::ranges::copy(machine_->intercept, out.begin());
    values_.with(length, [&](auto value) {
      if (!column.empty()) {
        out[0] += sum_in_lanes(column.size(), [&](std::size_t row) { return column[row] * value(row, counters[row]); });
      } else {
        for (std::size_t row = 0; row < counters.size(); ++row) factors[row] = value(row, counters[row]);
      }
    });
  }
  if (column.empty()) machine_->coef.add_rows(factors, out);
  std::ranges::fill(counters, Counter{0});
}

template <class Counter>
void InvertedScorer::add_touched(std::size_t length, std::span<double> out, std::vector<Counter>& counters,
                                 std::span<const RowId> touched) const {
  if (!increments_.empty()) {
    for (const RowId row : touched) machine_->coef.add_row(row, increments_[counters[row]], out);
  } else {
    values_.with(length, [&](auto value) {
      for (const RowId row : touched) machine_->coef.add_row(row, value(row, counters[row]) - value(row, 0), out);
    });
  }
  for (const RowId row : touched) counters[row] = 0;
}

std::size_t InvertedScorer::occurrences(rows::Row x) const {
  std::size_t total = tallied_ ? tallied_->occurrences(x) : 0;
  for_each_known(index_.features(), x, [&](rows::Rank rank, std::size_t) { total += index_.features().count(rank); });
  return total;
}

std::size_t InvertedScorer::nbytes() const noexcept {
  return index_.nbytes() + values_.nbytes() + (tallied_ ? tallied_->nbytes() : machine_->nbytes()) +
         (increments_.size() + base_.size() + sums_.size()) * sizeof(double);
}

}  // namespace gristmill::score
