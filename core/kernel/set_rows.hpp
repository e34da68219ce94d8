// SPDX-License-Identifier: BSD-3-Clause
// Rows of the Gram matrix of a data set, of a kernel of sets: k(x, s) for all its rows s at once, through the inverted
// index.
#pragma once
#include "base/observer.hpp"
#include "kernel/set_values.hpp"
#include "rows/overlap_index.hpp"

namespace gristmill::kernel {

class SetRows {
 public:
  SetRows(SetKernel kernel, rows::Rows rows);

  [[nodiscard]] std::size_t size() const noexcept { return index_.rows(); }

  // out: queries.size() x size(), row-major.
  void fill(rows::Rows queries, std::span<double> out, std::size_t threads, Observer& observer) const;

 private:
  void fill_row(rows::Row x, std::span<double> out, rows::OverlapIndex::Query& query,
                rows::OverlapIndex::Counters& counters) const;

  rows::OverlapIndex index_;
  SetValues values_;
};

}  // namespace gristmill::kernel
