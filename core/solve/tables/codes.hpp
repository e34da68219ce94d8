// SPDX-License-Identifier: BSD-3-Clause
// A table of discrete fields: of each row and column the number of its bin. Stored by column, in bytes where all
// columns have at most 256 bins. Borrowed; codes are checked once, where they come in.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gristmill::solve::tables {

struct Codes {
  std::size_t rows = 0;
  std::vector<std::uint32_t> bins;       // of each column, at least 1
  std::span<const std::uint8_t> narrow;  // either these
  std::span<const std::uint16_t> wide;   // or these

  // f(the first code of the first column)
  template <class F>
  decltype(auto) visit(F f) const {
    return wide.empty() ? f(narrow.data()) : f(wide.data());
  }
};

// Refuses codes that are not below their column's bins, with std::invalid_argument.
void check_codes(const Codes& codes);

}  // namespace gristmill::solve::tables
