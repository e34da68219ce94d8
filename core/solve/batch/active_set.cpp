// SPDX-License-Identifier: BSD-3-Clause
#include "solve/batch/active_set.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "solve/batch/smo_passes.hpp"

namespace gristmill::solve::batch::smo {

bool are_consecutive(std::span<const RowId> numbers) {
  return !numbers.empty() &&
         std::ranges::adjacent_find(numbers, [](RowId a, RowId b) { return b != a + 1; }) == numbers.end();
}

void ActiveSet::fill() {
  const std::size_t count = examples_.size();
  variables.resize(count);
  std::iota(variables.begin(), variables.end(), RowId{0});
  numbers_.assign(examples_.begin(), examples_.end());
  for (std::vector<double>* values : {&F, &up, &low, &diagonal}) values->resize(padded(count));
  cut(count);
}

void ActiveSet::move(std::size_t from, std::size_t to) {
  variables[to] = variables[from];
  numbers_[to] = numbers_[from];
  for (std::vector<double>* values : {&F, &up, &low, &diagonal}) (*values)[to] = (*values)[from];
}

void ActiveSet::cut(std::size_t size) {
  constexpr double never = -std::numeric_limits<double>::infinity();
  variables.resize(size);
  numbers_.resize(size);
  const auto pad = [size](std::vector<double>& values, double value) {
    values.resize(padded(size));
    std::fill(values.begin() + static_cast<std::ptrdiff_t>(size), values.end(), value);
  };
  pad(F, 0);
  pad(up, never);
  pad(low, never);
  pad(diagonal, 1);
  consecutive_ = are_consecutive(numbers_);
}

}  // namespace gristmill::solve::batch::smo
