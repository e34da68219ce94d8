// SPDX-License-Identifier: BSD-3-Clause
// What support rows give to the features of an example is added up row by row: the coefficients of the row, times a
// factor that depends on how many features it shares. Three ways to keep coefficients, one way to add:
//
//   part(row, factor)                  what is kept of a row
//   add(row, part, out)                out += the coefficients, x outputs
//   add_cells(rows, cell, parts, sums) the same for many rows, each into the sums of its cell; a row in cell 0 has
//                                      nothing to add, and may add it
#pragma once
#include <array>
#include <span>

#include "machine/coefficients.hpp"

namespace gristmill::explain {

// All rows, by number.
struct RowRange {
  std::size_t size;
};

template <class Visit>
void for_rows(RowRange rows, Visit visit) {
  for (std::size_t row = 0; row < rows.size; ++row) visit(row);
}
template <class Visit>
void for_rows(std::span<const RowId> rows, Visit visit) {
  for (const RowId row : rows) visit(std::size_t{row});
}

// A machine with one output: the part of a row is a number.
struct SingleOutput {
  std::span<const double> coef;

  static constexpr std::size_t outputs = 1;
  static constexpr std::size_t most_together = 5;  // frequent features: sums of 2^5 x 2^5 codes stay in the cache

  [[nodiscard]] double part(std::size_t row, double factor) const { return coef[row] * factor; }
  static void add(std::size_t, double part, double* out) { *out += part; }

  // Neighbours often share a cell, and would wait for one another's sum to reach the cache: every other row adds
  // elsewhere first.
  template <class Cell>
  static void add_cells(RowRange rows, const Cell* cell, const double* parts, std::span<double> sums) {
    std::array<double, std::size_t{1} << (2 * most_together)> others{};
    std::size_t row = 0;
    for (; row + 2 <= rows.size; row += 2) {
      sums[cell[row]] += parts[row];
      others[cell[row + 1]] += parts[row + 1];
    }
    if (row < rows.size) sums[cell[row]] += parts[row];
    for (std::size_t at = 0; at < sums.size(); ++at) sums[at] += others[at];
  }
  template <class Cell>
  static void add_cells(std::span<const RowId> rows, const Cell* cell, const double* parts, std::span<double> sums) {
    for_rows(rows, [&](std::size_t row) { sums[cell[row]] += parts[row]; });
  }
};

// Several outputs: it is a factor for the coefficients of the row, of which there is one for each output,
struct DenseOutputs {
  std::span<const double> coef;  // rows x outputs
  std::size_t outputs;
  std::size_t most_together = outputs <= 32 ? 4 : 3;

  [[nodiscard]] static double part(std::size_t, double factor) { return factor; }
  void add(std::size_t row, double part, double* out) const;
  void add_cells(RowRange rows, const std::uint8_t* cell, const double* parts, std::span<double> sums) const;
  void add_cells(RowRange rows, const std::uint16_t* cell, const double* parts, std::span<double> sums) const;
  void add_cells(std::span<const RowId> rows, const std::uint8_t* cell, const double* parts,
                 std::span<double> sums) const;
};

// or one for some of them.
struct SparseOutputs {
  const machine::Coefficients& coef;
  std::size_t outputs = coef.outputs();
  std::size_t most_together = outputs <= 32 ? 4 : 3;

  [[nodiscard]] static double part(std::size_t, double factor) { return factor; }
  void add(std::size_t row, double part, double* out) const { coef.add_row(row, part, {out, outputs}); }

  template <class RowNumbers, class Cell>
  void add_cells(const RowNumbers& rows, const Cell* cell, const double* parts, std::span<double> sums) const {
    for_rows(rows, [&](std::size_t row) {
      if (cell[row] != 0) add(row, parts[row], sums.data() + cell[row] * outputs);
    });
  }
};

template <class Work>
void with_outputs(const machine::Coefficients& coef, Work work) {
  if (const auto column = coef.only_column(); !column.empty()) return work(SingleOutput{column});
  if (const auto values = coef.all_values(); !values.empty()) return work(DenseOutputs{values, coef.outputs()});
  work(SparseOutputs{coef});
}

// The parts of all rows, by factor(row, what it shares). What is written is nobody else's, or every row would be looked
// up again.
template <class Outputs, class Counter, class Factor>
void weigh_all(const Outputs with, std::span<const Counter> counters, const Factor factor, double* __restrict parts) {
  for (std::size_t row = 0; row < counters.size(); ++row) parts[row] = with.part(row, factor(row, counters[row]));
}

inline void add_sums(double* to, const double* from, std::size_t outputs) {
  for (std::size_t o = 0; o < outputs; ++o) to[o] += from[o];
}

}  // namespace gristmill::explain
