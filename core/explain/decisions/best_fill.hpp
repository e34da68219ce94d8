// SPDX-License-Identifier: BSD-3-Clause
// How much variables can add within a budget, at most: each adds up to its value, in proportion to what is spent on it
// up to its size (the relaxation of a knapsack).
#pragma once
#include <cstddef>
#include <vector>

namespace gristmill::explain::decisions {

class BestFill {
 public:
  // Nothing will be asked beyond `budget`.
  void clear(double budget) {
    budget_ = budget;
    items_.clear();
  }

  // value > 0, rate = value per cost > 0.
  void add(double value, double rate) {
    std::size_t at = items_.size();
    items_.push_back({value, rate});
    for (; at > 0 && items_[at - 1].rate < rate; --at) items_[at] = items_[at - 1];
    items_[at] = {value, rate};
    drop();
  }

  [[nodiscard]] double within(double budget) const {
    double sum = 0;
    for (const Item& item : items_) {
      if (item.value >= item.rate * budget) return sum + item.rate * budget;
      sum += item.value;
      budget -= item.value / item.rate;
    }
    return sum;
  }

 private:
  struct Item {
    double value;
    double rate;
  };

  // Those that no budget reaches.
  void drop() {
    double size = 0;
    for (std::size_t at = 0; at + 1 < items_.size(); ++at) {
      size += items_[at].value / items_[at].rate;
      if (size > budget_) return items_.resize(at + 1);
    }
  }

  double budget_ = 0;
  std::vector<Item> items_;  // by rate, descending
};

}  // namespace gristmill::explain::decisions
