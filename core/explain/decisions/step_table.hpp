// SPDX-License-Identifier: BSD-3-Clause
// The steps that the variables of a row may take, those of a variable together, and what they cost.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "explain/decisions/cost_scale.hpp"
#include "explain/decisions/problem.hpp"
#include "explain/decisions/subject.hpp"

namespace gristmill::explain::decisions {

using StepId = std::uint32_t;
using Path = std::vector<StepId>;  // steps taken, of variables that are not the same

// The steps of a variable, one after the other. clang 14 does not compile std::views::iota.
class StepRange {
 public:
  class Iterator {
   public:
    explicit Iterator(StepId at) : at_(at) {}
    StepId operator*() const noexcept { return at_; }
    Iterator& operator++() noexcept {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    StepId at_;
  };

  StepRange(StepId first, StepId end) : first_(first), end_(end) {}
  [[nodiscard]] Iterator begin() const noexcept { return Iterator(first_); }
  [[nodiscard]] Iterator end() const noexcept { return Iterator(end_); }

 private:
  StepId first_;
  StepId end_;
};

struct StepTable {
  StepTable(const Choices& choices, const Subject& subject);

  [[nodiscard]] std::size_t variables() const noexcept { return starts.size() - 1; }
  [[nodiscard]] std::size_t size() const noexcept { return steps.size(); }
  [[nodiscard]] StepRange of(std::size_t variable) const { return {starts[variable], starts[variable + 1]}; }
  [[nodiscard]] Steps view() const noexcept { return {starts, steps}; }
  // What the dearest steps of so many variables cost together.
  [[nodiscard]] double dearest(std::size_t variables) const;
  [[nodiscard]] double cost_of(std::span<const StepId> path) const;
  // What a step that the gains have not taken adds to scores.
  void add_gains(const Gains& gains, StepId step, std::span<double> scores) const;

  std::vector<StepId> starts;  // by variable, and the end
  std::vector<Step> steps;
  std::vector<std::uint32_t> values;       // of each step, in Choices
  std::vector<std::uint32_t> variable_of;  // each step
  std::vector<double> costs;               // of each step, in units of the scale
  CostScale scale;
};

// The slots of a row as it is.
[[nodiscard]] std::vector<Slot> present_slots(const Choices& choices, const Subject& subject);

}  // namespace gristmill::explain::decisions
