// SPDX-License-Identifier: BSD-3-Clause
#include "explain/row_parts.hpp"

#include "base/variants.hpp"

namespace gristmill::explain {
namespace {

GRISTMILL_INLINE void add_row(const double* values, std::size_t outputs, double part, double* __restrict out) {
  for (std::size_t o = 0; o < outputs; ++o) out[o] += part * values[o];
}

// Cell 0 is skipped: adding is dear here.
template <class Number, class Cell>
GRISTMILL_INLINE void add_rows(const DenseOutputs& with, std::size_t rows, Number number, const Cell* cell,
                               const double* parts, double* sums) {
  for (std::size_t at = 0; at < rows; ++at) {
    const std::size_t row = number(at);
    if (cell[row] == 0) continue;
    add_row(with.coef.data() + row * with.outputs, with.outputs, parts[row], sums + cell[row] * with.outputs);
  }
}

// One function for each kind: variants cannot be templates.
GRISTMILL_VARIANTS void add_one(const DenseOutputs& with, std::size_t row, double part, double* out) {
  add_row(with.coef.data() + row * with.outputs, with.outputs, part, out);
}
GRISTMILL_VARIANTS void add_all(const DenseOutputs& with, std::size_t rows, const std::uint8_t* cell,
                                const double* parts, double* sums) {
  add_rows(with, rows, [](std::size_t at) { return at; }, cell, parts, sums);
}
GRISTMILL_VARIANTS void add_all(const DenseOutputs& with, std::size_t rows, const std::uint16_t* cell,
                                const double* parts, double* sums) {
  add_rows(with, rows, [](std::size_t at) { return at; }, cell, parts, sums);
}
GRISTMILL_VARIANTS void add_some(const DenseOutputs& with, std::span<const RowId> rows, const std::uint8_t* cell,
                                 const double* parts, double* sums) {
  add_rows(with, rows.size(), [rows](std::size_t at) { return std::size_t{rows[at]}; }, cell, parts, sums);
}

}  // namespace

void DenseOutputs::add(std::size_t row, double part, double* out) const { add_one(*this, row, part, out); }

void DenseOutputs::add_cells(RowRange rows, const std::uint8_t* cell, const double* parts,
                             std::span<double> sums) const {
  add_all(*this, rows.size, cell, parts, sums.data());
}

void DenseOutputs::add_cells(RowRange rows, const std::uint16_t* cell, const double* parts,
                             std::span<double> sums) const {
  add_all(*this, rows.size, cell, parts, sums.data());
}

void DenseOutputs::add_cells(std::span<const RowId> rows, const std::uint8_t* cell, const double* parts,
                             std::span<double> sums) const {
  add_some(*this, rows, cell, parts, sums.data());
}

}  // namespace gristmill::explain
