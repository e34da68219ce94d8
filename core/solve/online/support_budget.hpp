// SPDX-License-Identifier: BSD-3-Clause
// A limit on the number of support rows: when there are more, the oldest one is forgotten (as in the Forgetron of Dekel
// et al. 2008, without its shrinking). An approximation: what was learned from a forgotten row is lost.
#pragma once
#include <algorithm>
#include <deque>
#include <optional>
#include <vector>

#include "solve/online/margins.hpp"

namespace gristmill::solve::online {

template <class Number>
class SupportBudget {
 public:
  // largest: 0 is no limit.
  SupportBudget(std::size_t largest, std::size_t outputs) : largest_(largest), outputs_(outputs) {}

  // A row whose coefficients become zero counts no longer.
  void note(const Step<Number>& step) {
    if (largest_ == 0) return;
    if (coef_.size() < (step.row + std::size_t{1}) * outputs_) {
      coef_.resize((step.row + std::size_t{1}) * outputs_, Number{0});
      births_.resize(step.row + std::size_t{1}, 0);
    }
    const bool was_alive = births_[step.row] != 0;
    add_step(step, Number{1}, of(step.row));
    const bool is_alive = std::ranges::any_of(of(step.row), [](Number a) { return a != 0; });
    if (is_alive && !was_alive) {
      births_[step.row] = ++last_birth_;
      ages_.push_back({step.row, last_birth_});
      ++alive_;
    } else if (was_alive && !is_alive) {
      births_[step.row] = 0;
      --alive_;
    }
  }

  // The step that takes back one output of a row that there is no room for; call until there is none.
  [[nodiscard]] std::optional<Step<Number>> excess(std::uint64_t time) {
    if (largest_ == 0 || alive_ <= largest_) return std::nullopt;
    while (births_[ages_.front().row] != ages_.front().birth) ages_.pop_front();
    const RowId row = ages_.front().row;
    const auto coef = of(row);
    const auto output = std::ranges::find_if(coef, [](Number a) { return a != 0; }) - coef.begin();
    const Number a = coef[static_cast<std::size_t>(output)];
    const auto number = static_cast<std::int32_t>(output);
    return Step<Number>{row, a > 0 ? Step<Number>::nobody : number, a > 0 ? number : Step<Number>::nobody,
                        a > 0 ? a : -a, time};
  }

 private:
  struct Age {
    RowId row;
    std::uint64_t birth;
  };

  [[nodiscard]] std::span<Number> of(RowId row) { return std::span(coef_).subspan(row * outputs_, outputs_); }

  std::size_t largest_;
  std::size_t outputs_;
  std::vector<Number> coef_;           // rows x outputs
  std::vector<std::uint64_t> births_;  // by row; 0: without coefficients
  std::deque<Age> ages_;               // oldest first; some are out of date
  std::uint64_t last_birth_ = 0;
  std::size_t alive_ = 0;
};

}  // namespace gristmill::solve::online
