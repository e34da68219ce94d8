// SPDX-License-Identifier: BSD-3-Clause
// How far the margins of a goal can still rise at a node of a search. From the gains of the steps that are left, what
// two of them add together (half of it to either), and what is left to spend, no margin can rise by more than
//
//   the best within the budget of: gain of each step + 1/2 * its best interactions with so many others
//
// Cost: a pass over the steps that are left.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "explain/decisions/best_fill.hpp"
#include "explain/decisions/goals.hpp"
#include "explain/decisions/partners.hpp"
#include "explain/decisions/step_table.hpp"

namespace gristmill::explain::decisions {

class NodeBounds {
 public:
  NodeBounds(const StepTable& steps, const Gains& gains) : steps_(steps), gains_(gains) {}

  // partners: of each margin; doubt: how far scores may be off.
  void set_goal(const Goal& goal, std::span<const Partners> partners, double doubt);
  // The node that is asked about until another one is set: the one that the gains are at.
  void set_node(std::span<const double> scores);

  // Whether scores may reach the goal: what is certain, and what hangs on rounding.
  [[nodiscard]] bool is_reached(std::span<const double> scores);
  // Whether any steps can, with so many others beside each, whatever they cost.
  [[nodiscard]] bool can_be_reached(std::size_t others);
  // What a step can do for the margins that should rise, with so many others.
  [[nodiscard]] double worth(StepId step, std::size_t others) const;

  // Steps that can come after another one, up to this budget: none, then variable by variable.
  void start_filling(double budget);
  void fill(std::size_t variable, double budget, std::size_t others);
  // Whether a step may lead to the goal with so many of these others for what is left; the higher the bound, the
  // sooner.
  [[nodiscard]] bool can_lead(StepId step, double left, std::size_t others, double& bound);

  // How much is missing of the margins that should rise, here and after a step; 0 or less.
  [[nodiscard]] double missing() const;
  [[nodiscard]] double missing_after(StepId step) const;

 private:
  struct Front {
    double margin;
    double doubt;
    const double* one;
    const double* two;
    BestFill fill;
  };

  [[nodiscard]] double rise(std::size_t margin, StepId step) const {
    const Margin& of = goal_->margins()[margin];
    const Front& front = fronts_[margin];
    return of.gain(front.one, front.two, steps_.steps[step].to) -
           of.gain(front.one, front.two, steps_.steps[step].from);
  }
  // With half of what so many others add.
  [[nodiscard]] double most_by(std::size_t margin, StepId step, std::size_t others) const {
    return rise(margin, step) + partners_[margin].half(step, others);
  }
  template <class Rise>
  [[nodiscard]] double missing_with(const Rise& rise_of) const;

  const StepTable& steps_;
  const Gains& gains_;
  const Goal* goal_ = nullptr;
  std::span<const Partners> partners_;  // by margin
  std::vector<Front> fronts_;           // by margin
  std::vector<std::uint8_t> reachable_;
};

}  // namespace gristmill::explain::decisions
