// SPDX-License-Identifier: BSD-3-Clause
#include "rows/row_numbers.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "base/hash.hpp"

namespace gristmill::rows {

std::vector<RowId> number_rows(Rows rows) {
  if (rows.size() > std::numeric_limits<RowId>::max()) throw std::invalid_argument("more than 2^32 rows");
  struct Hashed {
    std::uint64_t hash;
    RowId row;
  };
  std::vector<Hashed> order;
  order.reserve(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) order.push_back({hash_of(rows[row]), static_cast<RowId>(row)});
  std::ranges::sort(order, [&](const Hashed& a, const Hashed& b) {
    if (a.hash != b.hash) return a.hash < b.hash;
    return std::ranges::lexicographical_compare(rows[a.row], rows[b.row]);
  });
  std::vector<RowId> numbers(rows.size());
  RowId number = 0;
  for (std::size_t at = 0; at < order.size(); ++at) {
    if (at > 0 && !std::ranges::equal(rows[order[at - 1].row], rows[order[at].row])) ++number;
    numbers[order[at].row] = number;
  }
  return numbers;
}

}  // namespace gristmill::rows
