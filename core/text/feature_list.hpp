// SPDX-License-Identifier: BSD-3-Clause
// Lists of id:value pairs, the common part of svmlight data and of every text model file.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "text/cursor.hpp"

namespace gristmill::text {

// Where ids count from. one_lenient: from 1, and an id 0 is a feature nobody knows, so it is left out.
enum class IdBase { automatic, zero, one, one_lenient };

// Sparse rows as they are read. Values are kept only once one of them is not 1.
class FeatureLists {
 public:
  explicit FeatureLists(IdBase base) : base_(base) {}

  std::vector<Offset> offsets{0};
  std::vector<FeatureId> ids;
  std::vector<double> values;  // empty while all are 1

  // Reads pairs up to the line end or a '#', sorts them if need be and closes the row. An id may not occur twice.
  void read_row(Cursor& cursor);

  // To be called once after the last row: takes the base off the ids. Automatic: 0 if any id is 0, else 1.
  void finish();

  // True when an id of 0 was read or asked for.
  [[nodiscard]] bool zero_based() const noexcept { return base_ == IdBase::zero || saw_zero_; }

 private:
  void read_pair(Cursor& cursor);
  void add_value(double value);
  void sort_row(const Cursor& row_start);

  IdBase base_;
  bool saw_zero_ = false;
  std::optional<ParseError> too_large_;  // an id that only fits if ids turn out to count from 1
};

}  // namespace gristmill::text
