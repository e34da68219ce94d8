// SPDX-License-Identifier: BSD-3-Clause
#include "rows/by_length.hpp"

#include <limits>
#include <numeric>
#include <stdexcept>

namespace gristmill::rows {

std::vector<RowId> numbers_by_length(Rows rows) {
  if (rows.size() > std::numeric_limits<RowId>::max()) throw std::invalid_argument("more than 2^32 rows");
  std::vector<RowId> numbers(rows.size());
  std::iota(numbers.begin(), numbers.end(), RowId{0});
  std::ranges::stable_sort(numbers, {}, [&](RowId row) { return rows.length(row); });
  return numbers;
}

ByLength::ByLength(Rows rows) : numbers_(numbers_by_length(rows)) {
  offsets_.reserve(rows.size() + 1);
  ids_.reserve(rows.ids.size());
  for (const RowId number : numbers_) {
    const Row row = rows[number];
    ids_.insert(ids_.end(), row.begin(), row.end());
    offsets_.push_back(static_cast<Offset>(ids_.size()));
  }
}

}  // namespace gristmill::rows
