// SPDX-License-Identifier: BSD-3-Clause
#include "explain/decisions/search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gristmill::explain::decisions {
namespace {

constexpr std::size_t patience = std::size_t{1} << 16U;  // steps between questions: observers look at a clock
constexpr double most_units = 1e6;
// Steps of answers from which on it is asked whether there is an answer at all: that costs as much as a level's bounds.
constexpr std::size_t late_for_pairs = 3;
constexpr std::size_t late = 5;

bool is_whole(double value) { return std::abs(value - std::round(value)) <= 1e-9 * value; }

// The largest number that all costs are multiples of; 0 where there is none that divides the smallest into few parts.
double unit_of(std::span<const double> costs) {
  const double smallest = std::ranges::min(costs);
  for (double parts = 1; parts <= 12; ++parts) {
    const double unit = smallest / parts;
    const auto fits = [&](double cost) { return cost / unit < most_units && is_whole(cost / unit); };
    if (std::ranges::all_of(costs, fits)) return unit;
  }
  return 0;
}

}  // namespace

Search::Search(const Subject& subject, const Choices& choices, const Request& request, const Limits& limits,
               Observer& observer)
    : subject_(subject),
      choices_(choices),
      request_(request),
      limits_(limits),
      observer_(observer),
      gains_(subject.source->gains()),
      row_scores_(subject.outputs) {
  make_steps();
  set_costs();
}

Outcome Search::run() {
  subject_.score(changed_row(), row_scores_);
  if (is_answer(row_scores_)) {
    outcome_.answers.emplace_back();
    outcome_.complete = true;
    return outcome_;
  }
  goals_ = goals_of(request_, subject_.policy);
  partners_.resize(goals_.size());
  start();
  try {
    search_levels();
    outcome_.complete = true;
  } catch (const OutOfNodes&) {
    if (outcome_.answers.empty()) settle_for_any();
  }
  return outcome_;
}

void Search::make_steps() {
  starts_.push_back(0);
  for (std::size_t variable = 0; variable < choices_.variables(); ++variable) {
    const std::uint32_t own = choices_.starts[variable];
    const Slot from = subject_.slot_of(choices_.features[own]);
    for (std::uint32_t value = own + 1; value < choices_.starts[variable + 1]; ++value) {
      steps_.push_back({from, subject_.slot_of(choices_.features[value])});
      values_.push_back(value);
      variable_.push_back(static_cast<std::uint32_t>(variable));
      costs_.push_back(choices_.costs[value]);
    }
    starts_.push_back(static_cast<std::uint32_t>(steps_.size()));
  }
}

void Search::set_costs() {
  if (costs_.empty()) return;
  unit_ = unit_of(costs_);
  for (double& cost : costs_) cost = unit_ == 0 ? cost : std::round(cost / unit_);
  if (std::isfinite(limits_.cost)) bar_ = unit_ == 0 ? limits_.cost : std::round(limits_.cost / unit_);
  cheapest_ = std::ranges::min(costs_);
  std::vector<double> dear;
  for (std::size_t variable = 0; variable < choices_.variables(); ++variable) {
    double most = 0;
    for (std::uint32_t step = starts_[variable]; step < starts_[variable + 1]; ++step) {
      most = std::max(most, costs_[step]);
    }
    dear.push_back(most);
  }
  std::ranges::sort(dear, std::greater<>());
  dear.resize(std::min(limits_.changes, dear.size()));
  dearest_ = std::accumulate(dear.begin(), dear.end(), 0.0) * (unit_ == 0 ? 1 + 1e-9 : 1);
}

void Search::start() {
  std::vector<Slot> present;
  for (const FeatureId feature : choices_.fixed) present.push_back(subject_.slot_of(feature));
  for (std::size_t variable = 0; variable < choices_.variables(); ++variable) {
    present.push_back(subject_.slot_of(choices_.features[choices_.starts[variable]]));
  }
  gains_->start(present, {starts_, steps_});
}

// --- levels ---------------------------------------------------------------------------------------------------------

void Search::search_levels() {
  bool asked = false;
  const std::size_t most = std::min(limits_.changes, choices_.variables());
  for (level_ = cheapest_; most > 0 && !steps_.empty(); level_ = next_level()) {
    most_ = std::min(most, steps_within(level_));
    if (most_ >= (gains_->pairwise() ? late_for_pairs : late) && !asked && outcome_.answers.empty()) {
      asked = true;
      if (none_can_be_reached()) return;
    }
    search_level();
    outcome_.searched = unit_ == 0 ? level_ * (1 - 1e-9) : level_ * unit_;
    if (outcome_.answers.size() >= limits_.answers || level_ >= std::min(dearest_, bar_)) return;
  }
}

// A little more, so that levels are few; those of whole units are never larger than they must be at first.
double Search::next_level() const {
  const double more = unit_ == 0 ? std::max(cheapest_, level_ / 8) : std::max(1.0, std::floor(level_ / 8));
  return std::min(level_ + more, dearest_);
}

std::size_t Search::steps_within(double budget) const {
  const double steps = std::floor(budget / cheapest_ * (1 + 1e-12));
  return steps < 1 ? 0 : static_cast<std::size_t>(std::min(steps, static_cast<double>(choices_.variables())));
}

void Search::search_level() {
  doubt_ = 0;
  for (std::size_t o = 0; o < subject_.outputs; ++o) doubt_ = std::max(doubt_, gains_->rounding(o, most_));
  for (std::size_t goal = 0; goal < goals_.size(); ++goal) search_goal(goal);
}

void Search::search_goal(std::size_t goal) {
  goal_ = &goals_[goal];
  find_partners(goal);
  if (depths_.size() < most_ + 2) depths_.resize(most_ + 2);
  depths_[0].scores = row_scores_;
  set_fronts(row_scores_);
  for (std::size_t m = 0; m < fronts_.size(); ++m) fronts_[m].partners = &partners_[goal][m];
  set_order();
  visit(0, 0, 0.0);
}

void Search::find_partners(std::size_t goal) {
  const std::span<const Margin> margins = goals_[goal].margins();
  partners_[goal].resize(margins.size());
  for (std::size_t m = 0; m < margins.size(); ++m) {
    Partners& partners = partners_[goal][m];
    if (!partners.serves(most_, gains_->pairwise()))
      partners.find(*gains_, {starts_, steps_}, margins[m].combination, most_);
  }
}

// Whether no goal is within reach, whatever it costs.
bool Search::none_can_be_reached() {
  const std::size_t most = most_;
  most_ = std::min(limits_.changes, choices_.variables());
  doubt_ = 0;
  for (std::size_t o = 0; o < subject_.outputs; ++o) doubt_ = std::max(doubt_, gains_->rounding(o, most_));
  bool any = false;
  for (std::size_t goal = 0; goal < goals_.size(); ++goal) any = any || can_be_reached(goal);
  most_ = most;
  if (!gains_->pairwise()) partners_.assign(goals_.size(), {});  // those of fewer steps are sharper
  return !any;
}

bool Search::can_be_reached(std::size_t goal) {
  goal_ = &goals_[goal];
  find_partners(goal);
  set_fronts(row_scores_);
  for (std::size_t m = 0; m < fronts_.size(); ++m) {
    Front& front = fronts_[m];
    double best = front.margin + front.doubt;
    for (std::size_t variable = 0; variable < choices_.variables(); ++variable) {
      double most = 0;
      for (std::uint32_t step = starts_[variable]; step < starts_[variable + 1]; ++step) {
        most = std::max(most, rise(front, goal_->margins()[m], step) + partners_[goal][m].half(step, most_ - 1));
      }
      best += most;
    }
    reachable_[m] = best >= 0;
  }
  return goal_->possible(reachable_);
}

// Variables that can do much come first: what is left behind them is soon too little.
void Search::set_order() {
  std::vector<double> worth(choices_.variables(), 0.0);
  for (std::uint32_t step = 0; step < steps_.size(); ++step) {
    double sum = 0;
    for (std::size_t m = 0; m < fronts_.size(); ++m) {
      if (!goal_->wants(m)) continue;
      sum += rise(fronts_[m], goal_->margins()[m], step) + fronts_[m].partners->half(step, most_ - 1);
    }
    worth[variable_[step]] = std::max(worth[variable_[step]], sum);
  }
  order_.resize(worth.size());
  std::iota(order_.begin(), order_.end(), 0U);
  std::ranges::stable_sort(order_, [&](std::uint32_t a, std::uint32_t b) { return worth[a] > worth[b]; });
}

// --- nodes ----------------------------------------------------------------------------------------------------------

void Search::visit(std::size_t depth, std::size_t first, double cost) {
  count_node();
  const double left = budget(cost);
  const std::size_t steps = std::min(most_ - depth, steps_within(left));
  if (steps == 0) return;
  set_fronts(depths_[depth].scores);
  collect(depth, first, left, steps);
  for (std::size_t at = 0; at < depths_[depth].children.size(); ++at) {
    const Child child = depths_[depth].children[at];
    if (costs_[child.step] <= budget(cost)) descend(depth, child, cost + costs_[child.step]);
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

void Search::set_fronts(std::span<const double> scores) {
  const std::span<const Margin> margins = goal_->margins();
  fronts_.resize(margins.size());
  reachable_.assign(margins.size(), 0);
  for (std::size_t m = 0; m < margins.size(); ++m) {
    const Combination& combination = margins[m].combination;
    fronts_[m].margin = margins[m].of(scores);
    fronts_[m].doubt = doubt_of(margins[m]);
    fronts_[m].one = gains_->of(combination.output);
    fronts_[m].two = combination.is_difference() ? gains_->of(combination.minus) : nullptr;
  }
}

// The steps that may lead to an answer, the most promising ones first. From the last variable to the first, so that
// what the variables behind one can add is known.
void Search::collect(std::size_t depth, std::size_t first, double budget, std::size_t steps) {
  std::vector<Child>& children = depths_[depth].children;
  children.clear();
  for (Front& front : fronts_) front.fill.clear(budget);
  for (std::size_t place = order_.size(); place-- > first;) {
    offer(depth, place, budget, steps);
    if (steps > 1) fill(place, budget, steps - 1);
  }
  std::ranges::stable_sort(children, [](const Child& a, const Child& b) {
    return a.bound != b.bound ? a.bound > b.bound : a.step < b.step;
  });
}

void Search::offer(std::size_t depth, std::size_t place, double budget, std::size_t steps) {
  const std::uint32_t variable = order_[place];
  for (std::uint32_t step = starts_[variable]; step < starts_[variable + 1]; ++step) {
    if (costs_[step] > budget) continue;
    double bound = 0;
    if (can_follow(step, budget - costs_[step], steps - 1, bound)) {
      depths_[depth].children.push_back({bound, static_cast<std::uint32_t>(place), step});
    }
  }
}

bool Search::can_follow(std::uint32_t step, double left, std::size_t others, double& bound) {
  bound = std::numeric_limits<double>::infinity();
  for (std::size_t m = 0; m < fronts_.size(); ++m) {
    const Front& front = fronts_[m];
    double most = front.margin + rise(front, goal_->margins()[m], step);
    if (others > 0) most += front.partners->half(step, others) + front.fill.within(left);
    reachable_[m] = most + front.doubt >= 0;
    if (goal_->needs_all() && reachable_[m] == 0) return false;
    bound = std::min(bound, most);
  }
  return goal_->possible(reachable_);
}

void Search::fill(std::size_t place, double budget, std::size_t others) {
  const std::uint32_t variable = order_[place];
  for (std::size_t m = 0; m < fronts_.size(); ++m) {
    Front& front = fronts_[m];
    double value = 0;
    double rate = 0;
    for (std::uint32_t step = starts_[variable]; step < starts_[variable + 1]; ++step) {
      if (costs_[step] > budget) continue;
      const double own = rise(front, goal_->margins()[m], step) + front.partners->half(step, others);
      value = std::max(value, own);
      rate = std::max(rate, own / costs_[step]);
    }
    if (value > 0) front.fill.add(value, rate);
  }
}

void Search::descend(std::size_t depth, const Child& child, double cost) {
  path_.push_back(child.step);
  std::vector<double>& scores = depths_[depth + 1].scores;
  scores = depths_[depth].scores;
  for (std::size_t o = 0; o < scores.size(); ++o) {
    const double* gains = gains_->of(o);
    scores[o] += gains[steps_[child.step].to] - gains[steps_[child.step].from];
  }
  bool ends = false;
  if (is_reached(scores)) {
    ends = is_known();
    if (!ends && is_answer(scores)) {
      if (limits_.answers == 1 || !is_reducible()) keep(cost);
      ends = true;
    }
  }
  if (!ends && depth + 1 < most_ && child.place + 1 < order_.size()) {
    gains_->take(steps_[child.step]);
    visit(depth + 1, child.place + 1, cost);
    gains_->undo();
  }
  path_.pop_back();
}

// What more may be spent: answers that would not be kept are not looked for.
double Search::budget(double cost) const {
  double most = level_;
  const bool full = found_.size() >= limits_.answers;
  const double bar = full ? std::min(found_.back(), bar_) : bar_;
  if (std::isfinite(bar)) most = std::min(most, unit_ == 0 ? std::nexttoward(bar, 0.0) : bar - 1);
  return most - cost;
}

}  // namespace gristmill::explain::decisions
