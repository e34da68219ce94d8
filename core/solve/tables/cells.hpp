// SPDX-License-Identifier: BSD-3-Clause
// Which cell of a term's table a row is in.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "solve/tables/codes.hpp"
#include "solve/tables/terms.hpp"

namespace gristmill::solve::tables {

// Where a term reads: its columns, and its part of the arrays of all tables.
struct Lookup {
  std::span<const std::uint32_t> columns;
  std::size_t cells = 0;  // of this term, times outputs
  std::size_t outputs = 1;
};

template <class Code>
struct CellColumns {
  std::array<const Code*, most_columns> first{};
  std::array<std::uint32_t, most_columns> bins{1, 1, 1};
};

template <class Code>
[[nodiscard]] CellColumns<Code> columns_of(const Codes& codes, const Lookup& lookup, const Code* first) {
  CellColumns<Code> columns;
  for (std::size_t at = 0; at < lookup.columns.size(); ++at) {
    columns.first[at] = first + lookup.columns[at] * codes.rows;
    columns.bins[at] = codes.bins[lookup.columns[at]];
  }
  return columns;
}

template <std::size_t arity, class Code>
[[nodiscard, gnu::always_inline]] inline std::size_t cell_of(const CellColumns<Code>& columns, std::size_t row) {
  const std::size_t first = columns.first[0][row];
  if constexpr (arity == 1) return first;
  const std::size_t second = first * columns.bins[1] + columns.first[1][row];
  if constexpr (arity == 2) return second;
  return second * columns.bins[2] + columns.first[2][row];
}

// visit(arity as a constant, columns)
template <class Visit>
void with_columns(const Codes& codes, const Lookup& lookup, const Visit& visit) {
  codes.visit([&](const auto* first) {
    const auto columns = columns_of(codes, lookup, first);
    if (lookup.columns.size() == 1) {
      visit(std::integral_constant<std::size_t, 1>(), columns);
    } else if (lookup.columns.size() == 2) {
      visit(std::integral_constant<std::size_t, 2>(), columns);
    } else {
      visit(std::integral_constant<std::size_t, 3>(), columns);
    }
  });
}

}  // namespace gristmill::solve::tables
