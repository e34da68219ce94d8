// SPDX-License-Identifier: BSD-3-Clause
// The cheapest changes of a row that fulfil a request: branch and bound, to the end.
//
// Levels of cost are searched one after the other, so that all answers up to the last level are known when the nodes
// run out. At a node some variables have changed. From the gains of the steps that are left, what two of them add
// together (half of it to either), and what is left to spend, no margin can rise by more than
//
//   the best within the budget of: gain of each step + 1/2 * its best interactions with so many others
//
// and what cannot reach the goal is left out. A last step needs no node: the scores behind it are known. Scores that
// hang on rounding are settled by the definition.
// Cost of a node: a step of the gains, and a pass over the steps that are left.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "base/observer.hpp"
#include "explain/decisions/best_fill.hpp"
#include "explain/decisions/goals.hpp"
#include "explain/decisions/partners.hpp"
#include "explain/decisions/problem.hpp"

namespace gristmill::explain::decisions {

// The machine that decides.
struct Subject {
  std::shared_ptr<const GainSource> source;
  std::function<Slot(FeatureId)> slot_of;
  std::function<void(std::span<const FeatureId> row, std::span<double> out)> score;  // by the definition
  score::DecisionPolicy policy;
  std::size_t outputs;
};

class Search {
 public:
  Search(const Subject& subject, const Choices& choices, const Request& request, const Limits& limits,
         Observer& observer);

  [[nodiscard]] Outcome run();

 private:
  struct Child {
    double bound;
    std::uint32_t place;  // of its variable in the order
    std::uint32_t step;
  };
  struct Depth {
    std::vector<Child> children;
    std::vector<double> scores;
  };
  // A margin at a node.
  struct Front {
    double margin;
    double doubt;
    const double* one;
    const double* two;
    const Partners* partners;
    BestFill fill;
  };
  struct OutOfNodes {};

  void make_steps();
  void set_costs();
  void start();
  void search_levels();
  void search_level();
  void search_goal(std::size_t goal);
  [[nodiscard]] double next_level() const;
  [[nodiscard]] std::size_t steps_within(double budget) const;
  [[nodiscard]] bool none_can_be_reached();
  [[nodiscard]] bool can_be_reached(std::size_t goal);
  void find_partners(std::size_t goal);
  void set_order();

  void visit(std::size_t depth, std::size_t first, double cost);
  void set_fronts(std::span<const double> scores);
  void collect(std::size_t depth, std::size_t first, double budget, std::size_t steps);
  void offer(std::size_t depth, std::size_t place, double budget, std::size_t steps);
  [[nodiscard]] bool can_follow(std::uint32_t step, double left, std::size_t others, double& bound);
  void fill(std::size_t place, double budget, std::size_t others);
  void descend(std::size_t depth, const Child& child, double cost);
  void count_node();

  [[nodiscard]] double rise(const Front& front, const Margin& margin, std::uint32_t step) const {
    return margin.gain(front.one, front.two, steps_[step].to) - margin.gain(front.one, front.two, steps_[step].from);
  }
  [[nodiscard]] double doubt_of(const Margin& margin) const {
    return margin.combination.is_difference() ? 2 * doubt_ : doubt_;
  }
  [[nodiscard]] double budget(double cost) const;
  [[nodiscard]] bool is_reached(std::span<const double> scores);
  [[nodiscard]] bool is_answer(std::span<const double> scores);
  [[nodiscard]] bool is_answer_by_definition();
  [[nodiscard]] std::vector<FeatureId> changed_row() const;
  void keep(double cost);
  [[nodiscard]] bool is_known() const;
  [[nodiscard]] bool is_reducible();
  [[nodiscard]] double true_cost() const;
  void settle_for_any();
  [[nodiscard]] bool find_greedily(std::size_t goal);
  [[nodiscard]] std::uint32_t steepest(const Goal& goal) const;
  void drop_needless();

  const Subject& subject_;
  const Choices& choices_;
  const Request& request_;
  const Limits& limits_;
  Observer& observer_;
  std::unique_ptr<Gains> gains_;

  std::vector<std::uint32_t> starts_;  // of the steps of each variable
  std::vector<Step> steps_;
  std::vector<std::uint32_t> values_;    // of each step, in choices
  std::vector<std::uint32_t> variable_;  // of each step
  std::vector<double> costs_;            // of each step, in units
  double unit_ = 0;                      // all costs are multiples of it; 0: there is none
  double cheapest_ = 0;                  // in units, as all costs below
  double dearest_ = 0;                   // all variables together
  double bar_ = no_cost_limit;           // answers cost less
  std::vector<double> row_scores_;
  std::vector<Goal> goals_;

  double level_ = 0;
  std::size_t most_ = 0;  // steps of an answer of this level
  double doubt_ = 0;
  const Goal* goal_ = nullptr;
  std::vector<std::vector<Partners>> partners_;  // by goal and margin
  std::vector<std::uint32_t> order_;             // of variables
  std::vector<std::uint32_t> path_;              // steps taken
  std::vector<Depth> depths_;
  std::vector<Front> fronts_;  // by margin
  std::vector<std::uint8_t> reachable_;
  std::vector<std::int32_t> votes_;
  std::size_t work_ = 0;
  Outcome outcome_;
  std::vector<double> found_;  // costs of the answers, in units
};

}  // namespace gristmill::explain::decisions
