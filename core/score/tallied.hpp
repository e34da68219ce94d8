// SPDX-License-Identifier: BSD-3-Clause
// Support rows that have equal coefficients and equal lengths, as most rows of an SVM do: their coefficients are C. Of
// such a group nothing matters but how many of its rows share m features with x.
//
//   sum over groups g of a_g * sum over m of (rows of g that share m) * k(m, |x|, length of g)
//
// Cost per example: see rows::TallyIndex, an eighth of a pass over counters. Counts are exact.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "kernel/set_values.hpp"
#include "machine/machine.hpp"
#include "rows/tally_index.hpp"

namespace gristmill::score {

class TalliedRows {
 public:
  using Scratch = rows::TallyIndex::Scratch;

  // Nothing where rows are in no groups, and where most rows that look like the support rows share no feature.
  [[nodiscard]] static std::unique_ptr<const TalliedRows> of(const machine::SetMachine& machine);

  // What share of the support rows is in groups; 0 where there are none.
  [[nodiscard]] static double share(const machine::SetMachine& machine);

  // The machine of the rows that are in no group.
  [[nodiscard]] const std::shared_ptr<const machine::SetMachine>& rest() const noexcept { return rest_; }
  [[nodiscard]] std::size_t nbytes() const noexcept;

  // How often the features of x occur in these rows.
  [[nodiscard]] std::size_t occurrences(rows::Row x) const;

  // Adds what these rows give.
  void add(rows::Row x, std::span<double> out, Scratch& scratch) const;

 private:
  TalliedRows(const machine::SetMachine& machine, const Lists<RowId>& groups, std::span<const RowId> rest);

  machine::SetMachine first_;  // the first row of each group
  kernel::SetValues values_;   // of those
  rows::TallyIndex index_;
  std::shared_ptr<const machine::SetMachine> rest_;
};

}  // namespace gristmill::score
