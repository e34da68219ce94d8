// SPDX-License-Identifier: BSD-3-Clause
// Which variables are looked at, and the gradients of those that were not.
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "solve/batch/smo_problem.hpp"

namespace gristmill::solve::batch::smo {
namespace {

constexpr std::size_t between_shrinkings = 1000;  // steps, as LIBSVM
constexpr std::size_t columns_at_once = 4096;     // of rows that threads share

}  // namespace

void Problem::load(std::size_t at, std::vector<double>& row) {
  const RowId number = active_.example(at);
  if (rows_.block() > 1 && !rows_.holds(number)) rows_.prepare(promising(number, rows_.block()), crew_);
  rows_.load(number, active_.columns(), row.data());
  std::fill(row.begin() + static_cast<std::ptrdiff_t>(active_.size()),
            row.begin() + static_cast<std::ptrdiff_t>(active_.padded_size()), 0.0);
}

// A row that is missing, and others that are and will probably be wanted soon: those of the largest violations.
std::vector<RowId> Problem::promising(RowId first, std::size_t count) const {
  std::vector<std::pair<double, RowId>> candidates;
  for (std::size_t at = 0; at < active_.size(); ++at) {
    const double growing = active_.up[at] - active_.F[at] + (problem_.equality ? ends_.low : 0);
    const double falling = active_.low[at] + active_.F[at] + (problem_.equality ? ends_.up : 0);
    const double violation = std::max(growing, falling);
    if (violation > 0) candidates.emplace_back(violation, active_.example(at));
  }
  std::ranges::make_heap(candidates);
  std::vector<RowId> numbers{first};
  while (numbers.size() < count && !candidates.empty()) {
    std::ranges::pop_heap(candidates);
    const RowId number = candidates.back().second;
    candidates.pop_back();
    if (!rows_.holds(number) && std::ranges::find(numbers, number) == numbers.end()) numbers.push_back(number);
  }
  return numbers;
}

// sums[t] += weight(variable) (K(its example, columns[t]) + c) for all variables in order.
template <class Weight>
void Problem::add_rows(Weight weight, const Columns& columns, double* sums) {
  std::vector<RowId> group;
  std::vector<double> weights;
  for (RowId variable = 0; variable < problem_.size(); ++variable) {
    if (weight(variable) == 0) continue;
    group.push_back(problem_.examples[variable]);
    weights.push_back(weight(variable));
    if (group.size() < rows_.group()) continue;
    add_group(group, weights, columns, sums);
    group.clear();
    weights.clear();
  }
  add_group(group, weights, columns, sums);
}

void Problem::add_group(std::span<const RowId> group, std::span<const double> weights, const Columns& columns,
                        double* sums) {
  if (group.empty()) return;
  if (rows_.group() > 1) rows_.prepare(group, crew_);
  const std::size_t size = columns.numbers.size();
  const std::size_t piece = crew_.size() > 1 ? columns_at_once : std::max<std::size_t>(size, 1);
  crew_.run((size + piece - 1) / piece, [&](std::size_t number, std::size_t worker) {
    const std::size_t begin = number * piece;
    const Columns part{columns.numbers.subspan(begin, std::min(piece, size - begin)), columns.consecutive};
    std::vector<double>& row = worker_rows_[worker];
    row.resize(piece);
    for (std::size_t at = 0; at < group.size(); ++at) {
      rows_.load(group[at], part, row.data());
      add_row(sums + begin, row.data(), weights[at], problem_.constant, part.numbers.size());
    }
  });
  watch_(group.size() * size, violation_);
}

// All variables become active, with gradients computed anew.
void Problem::refresh() {
  std::vector<double> F(problem_.size(), 0.0);
  add_rows([&](RowId variable) { return at_bound(variable); }, all_, F.data());
  const std::vector<double> bound = F;
  std::ranges::transform(F, linear_, F.begin(), std::plus());
  add_rows([&](RowId variable) { return free_value(variable); }, all_, F.data());
  bound_ = bound;
  bound_is_known_ = true;
  activate_all(std::move(F));
  double sum = 0;
  for (const double value : value_) sum += std::abs(value);
  noise_ = rounding * (size_ + sum * largest_);
  refreshed_ = iterations_;
  objective_ = fresh_objective_ = objective_now();
  begun_ = true;
}

// All variables become active. Those that were not get F = linear + bound + what the free ones add, or what they had
// when all were active last + what has moved since: whichever needs fewer rows.
void Problem::restore() {
  if (active_.is_full()) return;
  std::vector<double> F(problem_.size());
  std::vector<bool> is_resting(problem_.size(), true);
  for (std::size_t at = 0; at < active_.size(); ++at) {
    F[active_.variables[at]] = active_.F[at];
    is_resting[active_.variables[at]] = false;
  }
  const auto moved = [&](RowId variable) { return value_[variable] - known_value_[variable]; };
  const auto free = [&](RowId variable) { return free_value(variable); };
  const bool by_moves = !bound_is_known_ || count(moved) < count(free);
  std::vector<RowId> resting;
  std::vector<RowId> examples;
  std::vector<double> sums;
  for (RowId variable = 0; variable < F.size(); ++variable) {
    if (!is_resting[variable]) continue;
    resting.push_back(variable);
    examples.push_back(problem_.examples[variable]);
    sums.push_back(by_moves ? known_F_[variable] : linear_[variable] + bound_[variable]);
  }
  const Columns columns{examples, are_consecutive(examples)};
  by_moves ? add_rows(moved, columns, sums.data()) : add_rows(free, columns, sums.data());
  for (std::size_t at = 0; at < resting.size(); ++at) F[resting[at]] = sums[at];
  activate_all(std::move(F));
}

template <class Weight>
std::size_t Problem::count(Weight weight) const {
  std::size_t found = 0;
  for (RowId variable = 0; variable < problem_.size(); ++variable) found += weight(variable) != 0 ? 1U : 0U;
  return found;
}

void Problem::activate_all(std::vector<double> F) {
  active_.fill();
  std::ranges::copy(F, active_.F.begin());
  known_F_ = std::move(F);
  known_value_ = value_;
  for (std::size_t at = 0; at < active_.size(); ++at) {
    mark(at);
    const double entry = rows_.diagonal(problem_.examples[at]) + problem_.constant;
    active_.diagonal[at] = problem_.equality ? entry : 1 / (entry > 0 ? entry : tau);
  }
  until_shrinking_ = std::min(problem_.size(), between_shrinkings);
  find();
}

void Problem::shrink() {
  if (!restored_ && violation_ <= 10 * options_.tol) {
    restored_ = true;
    restore();
  }
  const double highest = ends_.up;
  const double lowest = ends_.low;
  active_.shrink([&](std::size_t at) {
    const double F = active_.F[at];
    return !(active_.up[at] != 0 && F < -highest) && !(active_.low[at] != 0 && F > lowest);
  });
  until_shrinking_ = std::min(problem_.size(), between_shrinkings);
  find();
}

}  // namespace gristmill::solve::batch::smo
