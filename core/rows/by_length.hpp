// SPDX-License-Identifier: BSD-3-Clause
// A copy of rows, in the order of their lengths; equal lengths stay in order.
#pragma once
#include <vector>

#include "rows/rows.hpp"

namespace gristmill::rows {

class ByLength {
 public:
  explicit ByLength(Rows rows);

  [[nodiscard]] Rows rows() const noexcept { return {offsets_, ids_}; }
  [[nodiscard]] const std::vector<RowId>& numbers() const noexcept { return numbers_; }  // that they had

 private:
  std::vector<RowId> numbers_;
  std::vector<Offset> offsets_{0};
  std::vector<FeatureId> ids_;
};

// Row numbers in that order.
[[nodiscard]] std::vector<RowId> numbers_by_length(Rows rows);

}  // namespace gristmill::rows
