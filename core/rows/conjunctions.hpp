// SPDX-License-Identifier: BSD-3-Clause
// How many different conjunctions of features occur in a data set: |F^d| of the kernel-slicing paper's Table 1.
#pragma once
#include "base/observer.hpp"
#include "rows/rows.hpp"

namespace gristmill::rows {

// Distinct sets of exactly `size` features (1, 2 or 3) that occur together in some row. Each is counted at its rarest
// feature, so memory stays near the occurrences of one feature. Cost: one step per conjunction of every row.
[[nodiscard]] std::size_t count_conjunctions(Rows rows, unsigned size, Observer& observer);

}  // namespace gristmill::rows
