// SPDX-License-Identifier: BSD-3-Clause
// Row displacement (Tarjan and Yao 1979): the rows of a sparse matrix laid over one another in a single array, each
// shifted so that no two entries collide, like the teeth of combs. Entry (row, column) stands in slot
// shift[row] + column. All shifts differ, so a slot that remembers its column has one possible row: a probe is one
// comparison of 16 bits.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/observer.hpp"
#include "rows/feature_map.hpp"

namespace gristmill::score::expanded {

using Column = std::uint16_t;

// What an empty slot remembers; columns are below it.
constexpr Column no_column = std::numeric_limits<Column>::max();

struct CombRows {
  std::vector<std::size_t> starts{0};
  std::vector<rows::Rank> columns;  // ascending within a row

  [[nodiscard]] std::size_t size() const noexcept { return starts.size() - 1; }
  [[nodiscard]] std::span<const rows::Rank> operator[](std::size_t row) const {
    return std::span(columns).subspan(starts[row], starts[row + 1] - starts[row]);
  }
  void end_row() { starts.push_back(columns.size()); }
};

struct Packing {
  std::vector<std::uint32_t> shift;  // per row, from 1 on: slot 0 belongs to nobody
  std::size_t slots;                 // every probe of a column below the limit stays inside
};

// column_limit: above every column. Throws std::length_error when 2^32 slots do not suffice.
[[nodiscard]] Packing pack(const CombRows& rows, std::size_t column_limit, Observer& observer);

}  // namespace gristmill::score::expanded
