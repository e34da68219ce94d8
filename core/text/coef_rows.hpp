// SPDX-License-Identifier: BSD-3-Clause
// Support vector lines, the body of every text model: `coef coef ... id:value id:value ... [# comment]`.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/observer.hpp"
#include "rows/rows.hpp"
#include "text/feature_list.hpp"

namespace gristmill::text {

struct CoefRows {
  explicit CoefRows(std::size_t coefs_per_row) : per_row(coefs_per_row) {}

  std::size_t per_row;
  std::vector<double> coefs;  // rows x per_row
  FeatureLists rows{IdBase::automatic};
};

// Reads one line, up to its end or a comment.
void read_coef_row(Cursor& cursor, CoefRows& into);

// Reads all lines from here on and finishes the ids; blank lines are skipped. Throws ParseError.
[[nodiscard]] CoefRows read_coef_rows(Cursor cursor, std::size_t per_row, Observer& observer);

// The inverse, one line a row.
[[nodiscard]] std::string format_coef_rows(std::span<const double> coefs, rows::RealRows rows, bool one_based);

}  // namespace gristmill::text
