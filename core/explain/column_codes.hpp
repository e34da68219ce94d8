// SPDX-License-Identifier: BSD-3-Clause
// Which of some frequent features each row has, as a small number: the columns of a few features are put together to
// one byte a row. Sums over the rows of each feature, or of each pair of features, are then had from one sum for each
// number ("four Russians"): one addition a row instead of one for each feature it has.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "explain/row_parts.hpp"

namespace gristmill::explain {

class ColumnCodes {
 public:
  // As few groups as possible of at most `most` columns each, 1 to 8, as equal as possible.
  // A column has all bits set where the row has the feature.
  void make(std::span<const std::span<const std::uint8_t>> columns, std::size_t most, std::size_t rows);

  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }
  [[nodiscard]] std::size_t groups() const noexcept { return groups_; }
  [[nodiscard]] std::size_t codes() const noexcept { return std::size_t{1} << bits_; }  // of a group
  [[nodiscard]] std::size_t group_of(std::size_t column) const noexcept { return column / bits_; }
  [[nodiscard]] std::size_t first_of(std::size_t group) const noexcept { return std::min(group * bits_, columns_); }
  // Whether rows with this code of its group have the column.
  [[nodiscard]] bool has(std::size_t code, std::size_t column) const noexcept {
    return (code >> column % bits_ & 1U) != 0;
  }
  // visit(code) for the codes of its group that have the column, ascending.
  template <class Visit>
  void for_codes_with(std::size_t column, Visit visit) const {
    const std::size_t bit = std::size_t{1} << column % bits_;
    for (std::size_t code = bit; code < codes(); code = (code + 1) | bit) visit(code);
  }
  // By row.
  [[nodiscard]] const std::uint8_t* of(std::size_t group) const noexcept { return codes_.data() + group * rows_; }
  [[nodiscard]] RowRange all_rows() const noexcept { return {rows_}; }
  // By row, of two groups: the code of the first times codes(), plus that of the second; until the next call.
  [[nodiscard]] const std::uint16_t* pairs_of(std::size_t first, std::size_t second);

 private:
  std::size_t columns_ = 0;
  std::size_t groups_ = 0;
  std::size_t bits_ = 1;
  std::size_t rows_ = 0;
  std::vector<std::uint8_t> codes_;  // groups x rows
  std::vector<std::uint16_t> pairs_;
};

}  // namespace gristmill::explain
