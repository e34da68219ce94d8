// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <vector>

#include "rows/rows.hpp"

namespace gristmill::rows {

// Rows numbered from 0 by what they hold: equal rows have one number, and neither order nor repetition of the others
// changes which of two rows has the smaller one. Throws std::invalid_argument from 2^32 rows on.
[[nodiscard]] std::vector<RowId> number_rows(Rows rows);

}  // namespace gristmill::rows
