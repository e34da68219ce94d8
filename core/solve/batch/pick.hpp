// SPDX-License-Identifier: BSD-3-Clause
// Some entries of a row, in a row.
#pragma once
#include <algorithm>

#include "solve/batch/solver_rows.hpp"

namespace gristmill::solve::batch {

// out[t] = value(columns[t], entries[columns[t]]).
template <class T, class Value>
inline void pick(const T* entries, const Columns& columns, double* out, Value value) {
  const std::size_t size = columns.numbers.size();
  if (columns.consecutive) {
    const std::size_t first = columns.numbers.front();
#pragma GCC unroll 8
    for (std::size_t at = 0; at < size; ++at) out[at] = value(first + at, entries[first + at]);
  } else {
    const RowId* numbers = columns.numbers.data();
#pragma GCC unroll 8
    for (std::size_t at = 0; at < size; ++at) out[at] = value(std::size_t{numbers[at]}, entries[numbers[at]]);
  }
}

inline void pick(const double* entries, const Columns& columns, double* out) {
  pick(entries, columns, out, [](std::size_t, double entry) { return entry; });
}

}  // namespace gristmill::solve::batch
