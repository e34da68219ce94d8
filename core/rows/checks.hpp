// SPDX-License-Identifier: BSD-3-Clause
// Ids are validated here, once, where data enter.
#pragma once
#include "rows/rows.hpp"

namespace gristmill::rows {

// True when the ids of every row ascend strictly from 0 or more. Offsets must be sound.
[[nodiscard]] inline bool are_sorted(Rows rows) {
  for (std::size_t row = 0; row < rows.size(); ++row) {
    FeatureId last = -1;
    for (const FeatureId id : rows[row]) {
      if (id <= last) return false;
      last = id;
    }
  }
  return true;
}

}  // namespace gristmill::rows
