// SPDX-License-Identifier: BSD-3-Clause
// Rows: a borrowed CSR view of sparse rows. A binary row is the sorted set of its active feature ids; a real row has a
// value beside each id. The entrance (data/, text/) has checked everything: ids ascend strictly and are not negative.
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>

#include "base/types.hpp"

namespace gristmill::rows {

using Row = std::span<const FeatureId>;

struct Rows {
  std::span<const Offset> offsets;  // size() + 1 of them
  std::span<const FeatureId> ids;

  [[nodiscard]] std::size_t size() const noexcept { return offsets.empty() ? 0 : offsets.size() - 1; }

  [[nodiscard]] Row operator[](std::size_t row) const {
    return ids.subspan(static_cast<std::size_t>(offsets[row]), length(row));
  }

  [[nodiscard]] std::size_t length(std::size_t row) const {
    return static_cast<std::size_t>(offsets[row + 1] - offsets[row]);
  }

  [[nodiscard]] std::size_t longest() const {
    std::size_t longest = 0;
    for (std::size_t row = 0; row < size(); ++row) longest = std::max(longest, length(row));
    return longest;
  }
};

struct RealRows {
  Rows rows;
  std::span<const double> values;  // one per entry of rows.ids

  [[nodiscard]] std::span<const double> values_of(std::size_t row) const {
    return values.subspan(static_cast<std::size_t>(rows.offsets[row]), rows.length(row));
  }
};

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
