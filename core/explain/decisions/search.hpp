// SPDX-License-Identifier: BSD-3-Clause
// The cheapest changes of a row that fulfil a request: branch and bound, to the end.
//
// Levels of cost are searched one after the other, so that all answers up to the last level are known when the nodes
// run out. At a node some variables have changed; what cannot reach the goal by its bounds is left out. A last step
// needs no node: the scores behind it are known. Scores that hang on rounding are settled by the definition.
// Cost of a node: a step of the gains, and a pass over the steps that are left.
#pragma once
#include <exception>
#include <memory>
#include <vector>

#include "base/observer.hpp"
#include "explain/decisions/answer_test.hpp"
#include "explain/decisions/best_answers.hpp"
#include "explain/decisions/goals.hpp"
#include "explain/decisions/node_bounds.hpp"
#include "explain/decisions/partners.hpp"
#include "explain/decisions/step_table.hpp"

namespace gristmill::explain::decisions {

class Search {
 public:
  Search(const Subject& subject, const Choices& choices, const Request& request, const Limits& limits,
         Observer& observer);

  [[nodiscard]] Outcome run();

 private:
  struct Child {
    double bound;
    std::uint32_t place;  // of its variable in the order
    StepId step;
  };
  struct Depth {
    std::vector<Child> children;
    std::vector<double> scores;
  };
  struct OutOfNodes : std::exception {};

  void search_levels();
  void search_level();
  void search_goal(std::size_t goal);
  void set_goal(std::size_t goal);
  void set_doubt();
  [[nodiscard]] bool none_can_be_reached();
  void set_order();

  void visit(std::size_t depth, std::size_t first, double cost);
  void count_node();
  void collect(std::size_t depth, std::size_t first, double budget, std::size_t steps);
  void offer(std::size_t depth, std::size_t place, double budget, std::size_t steps);
  void descend(std::size_t depth, const Child& child, double cost);
  [[nodiscard]] bool ends_at(std::span<const double> scores, double cost);
  [[nodiscard]] bool is_reducible();
  [[nodiscard]] double budget(double cost) const;

  void settle_for_any();

  const Subject& subject_;
  const Choices& choices_;
  const Request& request_;
  const Limits& limits_;
  Observer& observer_;
  StepTable steps_;
  AnswerTest test_;
  std::unique_ptr<Gains> gains_;
  NodeBounds bounds_;
  BestAnswers answers_;
  std::size_t most_changes_;
  std::vector<double> row_scores_;
  std::vector<Goal> goals_;
  std::vector<std::vector<Partners>> partners_;  // by goal and margin

  double level_ = 0;
  std::size_t most_ = 0;  // steps of an answer of this level
  double doubt_ = 0;
  std::vector<std::uint32_t> order_;  // of variables
  Path path_;
  std::vector<Depth> depths_;
  std::size_t work_ = 0;
  Outcome outcome_;
};

}  // namespace gristmill::explain::decisions
