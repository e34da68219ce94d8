// SPDX-License-Identifier: BSD-3-Clause
// The gains of all slots after each step that was taken, so that the last step can be undone.
#pragma once
#include <cstddef>
#include <vector>

namespace gristmill::explain::decisions {

class GainLevels {
 public:
  GainLevels(std::size_t outputs, std::size_t slots)
      : slots_(slots), levels_(1, std::vector<double>(outputs * slots)) {}

  [[nodiscard]] std::size_t slots() const noexcept { return slots_; }
  // By slot, of the last level.
  [[nodiscard]] double* of(std::size_t output) { return levels_[level_].data() + output * slots_; }
  [[nodiscard]] const double* of(std::size_t output) const { return levels_[level_].data() + output * slots_; }

  // Zeros, for the row itself.
  void start() {
    level_ = 0;
    clear();
  }
  void take_from_zero() {
    add_level();
    clear();
  }
  void take_from_last() {
    add_level();
    levels_[level_] = levels_[level_ - 1];
  }
  void undo() { --level_; }

 private:
  void add_level() {
    ++level_;
    if (levels_.size() == level_) levels_.emplace_back(levels_[0].size());
  }
  void clear() { levels_[level_].assign(levels_[level_].size(), 0.0); }

  std::size_t slots_;
  std::vector<std::vector<double>> levels_;  // outputs x slots
  std::size_t level_ = 0;
};

}  // namespace gristmill::explain::decisions
