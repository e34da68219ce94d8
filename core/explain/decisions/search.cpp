// SPDX-License-Identifier: BSD-3-Clause
#include "explain/decisions/search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "explain/decisions/greedy_search.hpp"
#include "explain/decisions/part_of_choices.hpp"

namespace gristmill::explain::decisions {
namespace {

constexpr std::size_t patience = std::size_t{1} << 16U;  // steps between questions: observers look at a clock
// Steps of answers from which on it is asked whether there is an answer at all: that costs as much as a level's bounds.
constexpr std::size_t late_for_pairs = 3;
constexpr std::size_t late = 5;

}  // namespace

Search::Search(const Subject& subject, const Choices& choices, const Request& request, const Limits& limits,
               Observer& observer)
    : subject_(subject),
      choices_(choices),
      request_(request),
      limits_(limits),
      observer_(observer),
      steps_(choices, subject),
      test_(subject, choices, request, steps_),
      gains_(subject.source->gains()),
      bounds_(steps_, *gains_),
      answers_(limits.answers, steps_.scale.in_units(limits.cost)),
      most_changes_(std::min(limits.changes, choices.variables())),
      row_scores_(test_.scores({})) {}

Outcome Search::run() {
  if (test_.is_answer({}, row_scores_, 0.0)) {
    outcome_.answers.emplace_back();
    outcome_.complete = true;
    return outcome_;
  }
  goals_ = goals_of(request_, subject_.policy);
  partners_.resize(goals_.size());
  gains_->start(present_slots(choices_, subject_), steps_.view());
  try {
    search_levels();
    outcome_.complete = true;
  } catch (const OutOfNodes&) {
    if (answers_.size() == 0) settle_for_any();
  }
  outcome_.answers = answers_.take();
  return outcome_;
}

// --- levels ---------------------------------------------------------------------------------------------------------

void Search::search_levels() {
  if (most_changes_ == 0 || steps_.size() == 0) return;
  const CostScale& scale = steps_.scale;
  const double dearest = steps_.dearest(most_changes_);
  bool asked = false;
  for (level_ = scale.cheapest();; level_ = std::min(scale.next_level(level_), dearest)) {
    most_ = scale.steps_within(level_, most_changes_);
    if (most_ >= (gains_->pairwise() ? late_for_pairs : late) && !asked && answers_.size() == 0) {
      asked = true;
      if (none_can_be_reached()) return;
    }
    search_level();
    outcome_.searched = scale.searched(level_);
    if (answers_.is_full() || level_ >= std::min(dearest, answers_.bar())) return;
  }
}

void Search::search_level() {
  set_doubt();
  for (std::size_t goal = 0; goal < goals_.size(); ++goal) search_goal(goal);
}

void Search::set_doubt() {
  doubt_ = 0;
  for (std::size_t o = 0; o < subject_.outputs; ++o) doubt_ = std::max(doubt_, gains_->rounding(o, most_));
}

void Search::search_goal(std::size_t goal) {
  set_goal(goal);
  set_order();
  if (depths_.size() < most_ + 2) depths_.resize(most_ + 2);
  depths_[0].scores = row_scores_;
  visit(0, 0, 0.0);
}

void Search::set_goal(std::size_t goal) {
  const std::span<const Margin> margins = goals_[goal].margins();
  std::vector<Partners>& partners = partners_[goal];
  partners.resize(margins.size());
  for (std::size_t m = 0; m < margins.size(); ++m) {
    if (partners[m].serves(most_, gains_->pairwise())) continue;
    partners[m].find(*gains_, steps_.view(), margins[m].combination, most_);
  }
  bounds_.set_goal(goals_[goal], partners, doubt_);
  bounds_.set_node(row_scores_);
}

// Whether no goal is within reach, whatever it costs.
bool Search::none_can_be_reached() {
  const std::size_t most = std::exchange(most_, most_changes_);
  set_doubt();
  bool any = false;
  for (std::size_t goal = 0; goal < goals_.size() && !any; ++goal) {
    set_goal(goal);
    any = bounds_.can_be_reached(most_ - 1);
  }
  most_ = most;
  if (!gains_->pairwise()) partners_.assign(goals_.size(), {});  // those of fewer steps are sharper
  return !any;
}

// Variables that can do much come first: what is left behind them is soon too little.
void Search::set_order() {
  std::vector<double> worth(steps_.variables(), 0.0);
  for (std::size_t variable = 0; variable < worth.size(); ++variable) {
    for (const StepId step : steps_.of(variable)) {
      worth[variable] = std::max(worth[variable], bounds_.worth(step, most_ - 1));
    }
  }
  order_.resize(worth.size());
  std::iota(order_.begin(), order_.end(), 0U);
  std::ranges::stable_sort(order_, [&](std::uint32_t a, std::uint32_t b) { return worth[a] > worth[b]; });
}

// --- nodes ----------------------------------------------------------------------------------------------------------

void Search::visit(std::size_t depth, std::size_t first, double cost) {
  count_node();
  const double left = budget(cost);
  const std::size_t steps = std::min(most_ - depth, steps_.scale.steps_within(left, steps_.variables()));
  if (steps == 0) return;
  bounds_.set_node(depths_[depth].scores);
  collect(depth, first, left, steps);
  for (std::size_t at = 0; at < depths_[depth].children.size(); ++at) {
    const Child child = depths_[depth].children[at];
    if (steps_.costs[child.step] <= budget(cost)) descend(depth, child, cost + steps_.costs[child.step]);
  }
}

void Search::count_node() {
  if (outcome_.nodes >= limits_.nodes) throw OutOfNodes();
  ++outcome_.nodes;
  work_ += steps_.size();
  if (work_ < patience) return;
  work_ = 0;
  require(observer_, outcome_.nodes, limits_.nodes == no_limit ? outcome_.nodes + 1 : limits_.nodes);
}

// The steps that may lead to an answer, the most promising ones first. From the last variable to the first, so that
// what the variables behind one can add is known.
void Search::collect(std::size_t depth, std::size_t first, double budget, std::size_t steps) {
  std::vector<Child>& children = depths_[depth].children;
  children.clear();
  bounds_.start_filling(budget);
  for (std::size_t place = order_.size(); place-- > first;) {
    offer(depth, place, budget, steps);
    if (steps > 1) bounds_.fill(order_[place], budget, steps - 1);
  }
  std::ranges::stable_sort(children, [](const Child& a, const Child& b) {
    return a.bound != b.bound ? a.bound > b.bound : a.step < b.step;
  });
}

void Search::offer(std::size_t depth, std::size_t place, double budget, std::size_t steps) {
  for (const StepId step : steps_.of(order_[place])) {
    if (steps_.costs[step] > budget) continue;
    double bound = 0;
    if (bounds_.can_lead(step, budget - steps_.costs[step], steps - 1, bound)) {
      depths_[depth].children.push_back({bound, static_cast<std::uint32_t>(place), step});
    }
  }
}

void Search::descend(std::size_t depth, const Child& child, double cost) {
  path_.push_back(child.step);
  std::vector<double>& scores = depths_[depth + 1].scores;
  scores = depths_[depth].scores;
  steps_.add_gains(*gains_, child.step, scores);
  if (!ends_at(scores, cost) && depth + 1 < most_ && child.place + 1 < order_.size()) {
    gains_->take(steps_.steps[child.step]);
    visit(depth + 1, child.place + 1, cost);
    gains_->undo();
  }
  path_.pop_back();
}

// Whether the path is an answer, which is kept, or holds one.
bool Search::ends_at(std::span<const double> scores, double cost) {
  if (!bounds_.is_reached(scores)) return false;
  std::vector<std::uint32_t> values;
  for (const StepId step : path_) values.push_back(steps_.values[step]);
  if (answers_.hold_one(values)) return true;
  if (!test_.is_answer(path_, scores, doubt_)) return false;
  if (limits_.answers == 1 || !is_reducible()) answers_.keep(cost, test_.answer(path_));
  return true;
}

// Whether some of the changes are an answer by themselves.
bool Search::is_reducible() {
  if (path_.size() < 2) return false;
  const PartOfChoices part(choices_, steps_, path_);
  const Choices choices = part.view();
  const Limits limits{1, no_limit, static_cast<double>(path_.size()), limits_.nodes - outcome_.nodes};
  const Outcome found = Search(subject_, choices, request_, limits, observer_).run();
  outcome_.nodes += found.nodes;
  if (found.answers.empty() && !found.complete) throw OutOfNodes();
  return !found.answers.empty();
}

// What more may be spent: answers that would not be kept are not looked for.
double Search::budget(double cost) const {
  const double bar = answers_.bar();
  return (std::isfinite(bar) ? std::min(level_, steps_.scale.below(bar)) : level_) - cost;
}

// --- without a proof ------------------------------------------------------------------------------------------------

void Search::settle_for_any() {
  GreedySearch greedy(steps_, *gains_, test_);
  Path best;
  double least = answers_.bar();
  for (const Goal& goal : goals_) {
    gains_->start(present_slots(choices_, subject_), steps_.view());
    const std::optional<Path> path = greedy.find(goal, row_scores_, most_changes_);
    if (!path || steps_.cost_of(*path) >= least) continue;
    least = steps_.cost_of(*path);
    best = *path;
  }
  if (!best.empty()) answers_.keep(least, test_.answer(best));
}

}  // namespace gristmill::explain::decisions
