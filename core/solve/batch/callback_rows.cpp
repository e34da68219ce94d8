// SPDX-License-Identifier: BSD-3-Clause
#include "solve/batch/callback_rows.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>

#include "solve/batch/pick.hpp"

namespace gristmill::solve::batch {

CallbackRows::CallbackRows(std::vector<double> diagonal, Fill fill, std::size_t block, std::size_t max_bytes)
    : SolverRows(std::move(diagonal)),
      fill_(std::move(fill)),
      cache_(size(), max_bytes),
      block_(std::clamp<std::size_t>(block, 1, cache_.capacity() - 1)) {}

void CallbackRows::load(RowId number, const Columns& columns, double* out) {
  RowCache<double>::Row row = cache_.find(number);
  if (!row) row = compute({&number, 1});
  pick(row.get(), columns, out);
}

void CallbackRows::prepare(std::span<const RowId> numbers, Crew&) {
  std::vector<RowId> missing;
  std::ranges::copy_if(numbers, std::back_inserter(missing), [&](RowId number) { return !holds(number); });
  std::ranges::sort(missing);
  missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
  if (!missing.empty()) static_cast<void>(compute(missing));
}

RowCache<double>::Row CallbackRows::compute(std::span<const RowId> numbers) {
  std::vector<double> values(numbers.size() * size());
  fill_(numbers, values);
  if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); })) {
    throw std::invalid_argument("the rows of a kernel are finite, but there is NaN or infinity in one");
  }
  RowCache<double>::Row last;
  for (std::size_t at = 0; at < numbers.size(); ++at) {
    last = cache_.add(numbers[at], std::span(values).subspan(at * size(), size()));
  }
  return last;
}

}  // namespace gristmill::solve::batch
