// SPDX-License-Identifier: BSD-3-Clause
// A borrowed view of the cells of a sentence, token by token; read from its end if it is backward.
#pragma once
#include <cstddef>
#include <span>
#include <string_view>

namespace gristmill::text {

struct Cells {
  std::span<const std::string_view> cells;  // tokens x columns
  std::size_t columns = 1;
  bool backward = false;

  [[nodiscard]] std::size_t size() const noexcept { return columns == 0 ? 0 : cells.size() / columns; }
  // Where the token stands in the text.
  [[nodiscard]] std::size_t place_of(std::size_t token) const noexcept { return backward ? size() - 1 - token : token; }
  [[nodiscard]] std::string_view at(std::size_t token, std::size_t column) const {
    return cells[place_of(token) * columns + column];
  }
};

}  // namespace gristmill::text
