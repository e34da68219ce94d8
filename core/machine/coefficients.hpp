// SPDX-License-Identifier: BSD-3-Clause
// The coefficients of a machine: support rows x outputs, kept as blocks of consecutive rows that have coefficients for
// the same outputs. A dense matrix is one block; the pairwise classifiers of an SVM, whose support rows are sorted by
// class, are one block per class. Inside a block sums stay in registers.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace gristmill::machine {

class Coefficients {
 public:
  // values: rows x outputs, row-major.
  static Coefficients dense(std::size_t rows, std::size_t outputs, std::vector<double> values);
  // CSR: offsets (one more than rows), and the output and value of each entry, outputs ascending within a row.
  static Coefficients sparse(std::size_t outputs, std::span<const Offset> offsets,
                             std::span<const std::int32_t> columns, std::vector<double> values);

  [[nodiscard]] std::size_t outputs() const noexcept { return outputs_; }
  [[nodiscard]] std::size_t rows() const noexcept { return block_of_row_.size(); }
  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }  // that are kept
  [[nodiscard]] std::size_t nbytes() const noexcept;

  // The column of a machine with one output, else empty.
  [[nodiscard]] std::span<const double> only_column() const noexcept;

  // All of them, rows x outputs, if every row has all outputs; else empty.
  [[nodiscard]] std::span<const double> all_values() const noexcept;

  // out += factors[i] * row i for all rows; each output is summed in the order of the rows.
  void add_rows(std::span<const double> factors, std::span<double> out) const;
  // Passes over the rows that this takes for so many outputs: they are kept in registers, a few at a time.
  [[nodiscard]] static std::size_t strips(std::size_t outputs) noexcept {
    return outputs / 8 + outputs % 8 / 4 + outputs % 4;
  }
  // out += factor * row.
  void add_row(std::size_t row, double factor, std::span<double> out) const {
    if (first_entry_.empty()) return add_block_row(row, factor, out);
    for (std::uint32_t e = first_entry_[row]; e < first_entry_[row + 1]; ++e) {
      out[entries_[e].output] += factor * entries_[e].value;
    }
  }
  // That a row will be asked for in a while, and then that it will be soon.
  void announce(std::size_t row) const {
    if (!first_entry_.empty()) __builtin_prefetch(first_entry_.data() + row);
  }
  void fetch(std::size_t row) const {
    if (!first_entry_.empty()) __builtin_prefetch(entries_.data() + first_entry_[row]);
  }
  // visit(output, coefficient) for the outputs the row has a coefficient for, ascending.
  template <class Visit>
  void for_each_in_row(std::size_t row, Visit visit) const {
    const Block& block = blocks_[block_of_row_[row]];
    const double* values = values_.data() + block.first_value + (row - block.first_row) * block.width;
    for (std::size_t c = 0; c < block.width; ++c) {
      visit(static_cast<std::size_t>(columns_[block.first_column + c]), values[c]);
    }
  }

 private:
  struct Block {
    std::size_t first_row;
    std::size_t rows;
    std::size_t first_column;  // in columns_
    std::size_t width;
    std::size_t first_value;  // in values_: rows x width
  };

  struct Entry {
    double value;
    std::uint32_t output;
  };

  [[nodiscard]] std::span<const std::int32_t> columns_of(const Block& block) const;
  void add_block_row(std::size_t row, double factor, std::span<double> out) const;
  void pack_entries();
  void append_block(std::size_t first_row, std::size_t rows, std::span<const std::int32_t> columns);

  std::size_t outputs_ = 1;
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> block_of_row_;
  std::vector<std::int32_t> columns_;
  std::vector<double> values_;
  // The same once more for rows that are asked for one by one, where blocks are short: each row in one place.
  std::vector<std::uint32_t> first_entry_;  // of rows, and the end; or empty
  std::vector<Entry> entries_;
};

}  // namespace gristmill::machine
