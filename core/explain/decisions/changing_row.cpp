// SPDX-License-Identifier: BSD-3-Clause
#include "explain/decisions/changing_row.hpp"

#include <algorithm>

namespace gristmill::explain::decisions {

ChangingRow::ChangingRow(const SupportLists& support) : support_(support), overlaps_(support.rows.size(), 0) {
  std::uint32_t groups = 0;
  for (const std::uint32_t group : support.features->groups) groups = std::max(groups, group + 1);
  mates_.assign(groups, support.features->none());
}

void ChangingRow::start(std::span<const Slot> present) {
  const Slot none = support_.features->none();
  std::ranges::fill(mates_, none);
  std::ranges::fill(overlaps_, 0U);
  taken_.clear();
  length_ = static_cast<std::size_t>(std::ranges::count_if(present, [&](Slot slot) { return slot > none; }));
  for (const Slot slot : present) mark(slot, true);
}

void ChangingRow::take(Step step) {
  mark(step.from, false);
  mark(step.to, true);
  taken_.push_back(step);
}

void ChangingRow::undo() {
  mark(taken_.back().to, false);
  mark(taken_.back().from, true);
  taken_.pop_back();
}

void ChangingRow::mark(Slot slot, bool present) {
  const Slot none = support_.features->none();
  if (slot >= none) return;
  mates_[support_.features->groups[slot]] = present ? slot : none;
  length_ += present ? 1 : ~std::size_t{0};
  for (const RowId row : support_.postings[slot]) overlaps_[row] += present ? 1U : ~0U;
}

}  // namespace gristmill::explain::decisions
