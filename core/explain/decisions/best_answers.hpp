// SPDX-License-Identifier: BSD-3-Clause
// The cheapest answers that were found, by what they cost.
#pragma once
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "explain/decisions/problem.hpp"

namespace gristmill::explain::decisions {

class BestAnswers {
 public:
  // bar: they cost less, in any unit that costs below are in as well.
  BestAnswers(std::size_t most, double bar) : most_(most), bar_(bar) {}

  [[nodiscard]] std::size_t size() const noexcept { return answers_.size(); }
  [[nodiscard]] bool is_full() const noexcept { return size() >= most_; }
  // What another answer has to cost less than.
  [[nodiscard]] double bar() const { return is_full() ? std::min(costs_.back(), bar_) : bar_; }

  void keep(double cost, Answer answer) {
    const auto place = std::ranges::upper_bound(costs_, cost) - costs_.begin();
    costs_.insert(costs_.begin() + place, cost);
    answers_.insert(answers_.begin() + place, std::move(answer));
    if (size() <= most_) return;
    costs_.pop_back();
    answers_.pop_back();
  }

  // Whether changes to these values hold all those of an answer.
  [[nodiscard]] bool hold_one(std::span<const std::uint32_t> values) const {
    const auto is_made = [&](const Change& change) { return std::ranges::find(values, change.value) != values.end(); };
    return std::ranges::any_of(answers_,
                               [&](const Answer& answer) { return std::ranges::all_of(answer.changes, is_made); });
  }

  [[nodiscard]] std::vector<Answer> take() { return std::exchange(answers_, {}); }

 private:
  std::size_t most_;
  double bar_;
  std::vector<double> costs_;  // ascending
  std::vector<Answer> answers_;
};

}  // namespace gristmill::explain::decisions
