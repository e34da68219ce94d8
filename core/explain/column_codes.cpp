// SPDX-License-Identifier: BSD-3-Clause
#include "explain/column_codes.hpp"

#include "base/variants.hpp"

namespace gristmill::explain {
namespace {

GRISTMILL_VARIANTS void set_bit(std::span<std::uint8_t> codes, std::span<const std::uint8_t> column, std::uint8_t bit) {
  for (std::size_t row = 0; row < codes.size(); ++row) {
    codes[row] = static_cast<std::uint8_t>(codes[row] | (column[row] & bit));
  }
}

GRISTMILL_VARIANTS void join(std::span<std::uint16_t> out, const std::uint8_t* high, const std::uint8_t* low,
                             std::uint16_t codes) {
  for (std::size_t row = 0; row < out.size(); ++row) {
    out[row] = static_cast<std::uint16_t>(high[row] * codes + low[row]);
  }
}

}  // namespace

void ColumnCodes::make(std::span<const std::span<const std::uint8_t>> columns, std::size_t most, std::size_t rows) {
  columns_ = columns.size();
  groups_ = (columns_ + most - 1) / most;
  bits_ = groups_ == 0 ? 1 : (columns_ + groups_ - 1) / groups_;
  rows_ = rows;
  codes_.assign(groups_ * rows, 0);
  for (std::size_t column = 0; column < columns_; ++column) {
    const std::span<std::uint8_t> codes = std::span(codes_).subspan(group_of(column) * rows, rows);
    set_bit(codes, columns[column], static_cast<std::uint8_t>(1U << column % bits_));
  }
}

const std::uint16_t* ColumnCodes::pairs_of(std::size_t first, std::size_t second) {
  pairs_.resize(rows_);
  join(pairs_, of(first), of(second), static_cast<std::uint16_t>(codes()));
  return pairs_.data();
}

}  // namespace gristmill::explain
