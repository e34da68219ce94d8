// SPDX-License-Identifier: BSD-3-Clause
#include "machine/some_rows.hpp"

#include <utility>

namespace gristmill::machine {
namespace {

Coefficients some_coefficients(const Coefficients& all, std::span<const RowId> rows) {
  std::vector<Offset> offsets{0};
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  for (const RowId row : rows) {
    all.for_each_in_row(row, [&](std::size_t output, double value) {
      columns.push_back(static_cast<std::int32_t>(output));
      values.push_back(value);
    });
    offsets.push_back(static_cast<Offset>(values.size()));
  }
  if (!all.all_values().empty()) return Coefficients::dense(rows.size(), all.outputs(), std::move(values));
  return Coefficients::sparse(all.outputs(), offsets, columns, std::move(values));
}

}  // namespace

SetMachine some_rows(const SetMachine& machine, std::span<const RowId> rows, std::vector<double> intercept) {
  SetMachine some{machine.kernel, {0}, {}, {}, some_coefficients(machine.coef, rows), std::move(intercept)};
  for (const RowId row : rows) {
    const rows::Row ids = machine.support()[row];
    some.ids.insert(some.ids.end(), ids.begin(), ids.end());
    some.offsets.push_back(static_cast<Offset>(some.ids.size()));
    if (machine.values.empty()) continue;
    const std::span<const double> values = machine.real_support().values_of(row);
    some.values.insert(some.values.end(), values.begin(), values.end());
  }
  return some;
}

}  // namespace gristmill::machine
