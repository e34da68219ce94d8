// SPDX-License-Identifier: BSD-3-Clause
#include "solve/tables/lookups.hpp"

#include <algorithm>
#include <cstdint>

namespace gristmill::solve::tables {
namespace {

// Rows of one bin often follow one another. An addition to an entry waits for the one before, so rows take turns among
// several copies of small tables.
constexpr std::size_t copies = 4;
constexpr std::size_t copied_cells = 2048;

bool takes_turns(const Lookup& lookup) { return lookup.outputs == 1 && lookup.cells <= copied_cells; }

template <std::size_t arity, class Code>
void add_in_turns(const CellColumns<Code>& columns, const double* values, std::size_t begin, std::size_t end,
                  std::size_t cells, double* lanes, double* table) {
  std::fill_n(lanes, copies * cells, 0.0);
  std::size_t row = begin;
  for (; row + copies <= end; row += copies) {
    for (std::size_t turn = 0; turn < copies; ++turn) {
      lanes[turn * cells + cell_of<arity>(columns, row + turn)] += values[row + turn];
    }
  }
  for (; row < end; ++row) lanes[cell_of<arity>(columns, row)] += values[row];
  for (std::size_t cell = 0; cell < cells; ++cell) {
    table[cell] += (lanes[cell] + lanes[cells + cell]) + (lanes[2 * cells + cell] + lanes[3 * cells + cell]);
  }
}

}  // namespace

void add_entries(const Codes& codes, const Lookup& lookup, const double* table, std::size_t begin, std::size_t end,
                 double* out) {
  with_columns(codes, lookup, [&](auto arity, const auto& columns) {
    const std::size_t outputs = lookup.outputs;
    if (outputs == 1) {
      for (std::size_t row = begin; row < end; ++row) out[row - begin] += table[cell_of<arity>(columns, row)];
      return;
    }
    for (std::size_t row = begin; row < end; ++row) {
      const double* entry = table + cell_of<arity>(columns, row) * outputs;
      double* sums = out + (row - begin) * outputs;
      for (std::size_t output = 0; output < outputs; ++output) sums[output] += entry[output];
    }
  });
}

std::size_t lanes_size(const Lookup& lookup) noexcept { return takes_turns(lookup) ? copies * lookup.cells : 0; }

void add_values(const Codes& codes, const Lookup& lookup, const double* values, std::size_t begin, std::size_t end,
                double* lanes, double* table) {
  with_columns(codes, lookup, [&](auto arity, const auto& columns) {
    const std::size_t outputs = lookup.outputs;
    if (takes_turns(lookup)) {
      return add_in_turns<arity>(columns, values, begin, end, lookup.cells, lanes, table);
    }
    for (std::size_t row = begin; row < end; ++row) {
      double* entry = table + cell_of<arity>(columns, row) * outputs;
      const double* value = values + row * outputs;
      for (std::size_t output = 0; output < outputs; ++output) entry[output] += value[output];
    }
  });
}

}  // namespace gristmill::solve::tables
