// SPDX-License-Identifier: BSD-3-Clause
// Sums of the parts of rows by code, and from there by column and by pair of columns.
#pragma once
#include <algorithm>
#include <vector>

#include "explain/column_codes.hpp"
#include "explain/row_parts.hpp"

namespace gristmill::explain {

// to(column) += the parts of those of `rows` that have the column.
template <class Outputs, class RowNumbers, class To>
void add_by_column(const Outputs& with, const ColumnCodes& codes, const RowNumbers& rows, const double* parts,
                   std::vector<double>& sums, To to) {
  const std::size_t width = codes.codes() * with.outputs;
  sums.assign(codes.groups() * width, 0.0);
  for (std::size_t group = 0; group < codes.groups(); ++group) {
    with.add_cells(rows, codes.of(group), parts, std::span(sums).subspan(group * width, width));
  }
  for (std::size_t column = 0; column < codes.columns(); ++column) {
    const double* by_code = sums.data() + codes.group_of(column) * width;
    double* out = to(column);
    codes.for_codes_with(column, [&](std::size_t code) { add_sums(out, by_code + code * with.outputs, with.outputs); });
  }
}

// The pairs of the columns of one or two groups. Between two groups a row counts in one of codes x codes cells; the
// pairs within a group come from the sums of the cells with the same code of that group.
template <class Outputs, class To>
class PairSums {
 public:
  // to(column, other) is where a pair goes.
  PairSums(const Outputs& with, ColumnCodes& codes, const double* parts, std::vector<double>& sums, To to)
      : with_(with), codes_(codes), parts_(parts), sums_(sums), to_(to) {}

  void add_all() {
    const std::size_t groups = codes_.groups();
    if (groups == 1) add_one_group();
    for (std::size_t first = 0; first + 1 < groups; ++first) {
      for (std::size_t second = first + 1; second < groups; ++second) {
        fill(codes_.codes() * codes_.codes(), codes_.pairs_of(first, second));
        between(first, second);
        if (second == first + 1) within(first, codes_.codes(), 1);
        if (second == first + 1 && second + 1 == groups) within(second, 1, codes_.codes());
      }
    }
  }

 private:
  void add_one_group() {
    fill(codes_.codes(), codes_.of(0));
    pairs_of(0, sums_);
  }

  template <class Cell>
  void fill(std::size_t cells, const Cell* cell_of_row) {
    sums_.assign(cells * with_.outputs, 0.0);
    with_.add_cells(codes_.all_rows(), cell_of_row, parts_, std::span(sums_));
  }

  void between(std::size_t first, std::size_t second) {
    const std::size_t side = codes_.codes();
    std::vector<double> having(side * with_.outputs);  // by code of the second group: rows that have the column
    for_columns(first, [&](std::size_t column) {
      std::ranges::fill(having, 0.0);
      codes_.for_codes_with(column,
                            [&](std::size_t code) { add_sums(having.data(), cell(code * side), having.size()); });
      for_columns(second, [&](std::size_t other) { add_having(having, other, to_(column, other)); });
    });
  }

  // A code of the group stands for the cells at code * step + 0, 1, ... times `other_step`.
  void within(std::size_t group, std::size_t step, std::size_t other_step) {
    const std::size_t side = codes_.codes();
    std::vector<double> by_code(side * with_.outputs, 0.0);
    for (std::size_t code = 0; code < side; ++code) {
      for (std::size_t other = 0; other < side; ++other) {
        add_sums(by_code.data() + code * with_.outputs, cell(code * step + other * other_step), with_.outputs);
      }
    }
    pairs_of(group, by_code);
  }

  void pairs_of(std::size_t group, const std::vector<double>& by_code) {
    for_columns(group, [&](std::size_t column) {
      for_columns(group, [&](std::size_t other) {
        if (other <= column) return;
        double* out = to_(column, other);
        codes_.for_codes_with(column, [&](std::size_t code) {
          if (codes_.has(code, other)) add_sums(out, by_code.data() + code * with_.outputs, with_.outputs);
        });
      });
    });
  }

  void add_having(const std::vector<double>& by_code, std::size_t column, double* out) const {
    codes_.for_codes_with(
        column, [&](std::size_t code) { add_sums(out, by_code.data() + code * with_.outputs, with_.outputs); });
  }

  template <class Visit>
  void for_columns(std::size_t group, Visit visit) const {
    for (std::size_t column = codes_.first_of(group); column < codes_.first_of(group + 1); ++column) visit(column);
  }

  [[nodiscard]] const double* cell(std::size_t at) const { return sums_.data() + at * with_.outputs; }

  const Outputs& with_;
  ColumnCodes& codes_;
  const double* parts_;
  std::vector<double>& sums_;
  To to_;
};

}  // namespace gristmill::explain
