// SPDX-License-Identifier: BSD-3-Clause
// A row that changes by steps, and how many features it shares with each support row.
// Cost of a step: the support rows that have one of its features.
#pragma once
#include <span>
#include <vector>

#include "explain/decisions/support_lists.hpp"

namespace gristmill::explain::decisions {

class ChangingRow {
 public:
  explicit ChangingRow(const SupportLists& support);

  // Slots beyond none are features that no variable has: they count in the length.
  void start(std::span<const Slot> present);
  void take(Step step);
  void undo();

  [[nodiscard]] std::size_t length() const noexcept { return length_; }
  [[nodiscard]] std::size_t overlap(std::size_t support_row) const { return overlaps_[support_row]; }
  // The feature that the row has of a slot's group, or none.
  [[nodiscard]] Slot mate(Slot slot) const { return mates_[support_.features->groups[slot]]; }
  [[nodiscard]] bool has(Slot slot) const { return mate(slot) == slot; }

 private:
  void mark(Slot slot, bool present);

  const SupportLists& support_;
  std::size_t length_ = 0;
  std::vector<Slot> mates_;              // by group
  std::vector<std::uint32_t> overlaps_;  // by support row
  std::vector<Step> taken_;
};

}  // namespace gristmill::explain::decisions
