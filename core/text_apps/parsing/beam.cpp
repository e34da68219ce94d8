// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/parsing/beam.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gristmill::text_apps::parsing {

BeamSearch::BeamSearch(System system, const ActionClassifier& classifier, Beam beam, const text::Cells& cells)
    : system_(system), classifier_(classifier), beam_(beam), cells_(cells), ways_(1) {
  begin(system_, ways_[0].configuration, cells_.size());
  find_open();
}

void BeamSearch::find_open() {
  open_.clear();
  for (Way& way : ways_) {
    way.done = legal_moves(system_, way.configuration).empty();
    if (!way.done) open_.push_back(&way.configuration);
  }
}

void BeamSearch::step(rows::Rows rows, ActionClassifier::Scratch& scratch) {
  candidates_.clear();
  std::size_t row = 0;
  for (std::size_t way = 0; way < ways_.size(); ++way) {
    if (ways_[way].done) {
      candidates_.push_back({way, {}, ways_[way].score, true});
    } else {
      add_candidates(way, rows[row++], scratch);
    }
  }
  follow_best();
  find_open();
}

namespace {

// Far coarser than any engine's rounding, and sums of it are exact: ways that are equal are so in every engine.
double on_grid(double gain) {
  constexpr double steps = 1U << 20U;
  return std::max(std::nearbyint(gain * steps) / steps, -1e6);
}

}  // namespace

void BeamSearch::add_candidates(std::size_t way, rows::Row row, ActionClassifier::Scratch& scratch) {
  const Configuration& configuration = ways_[way].configuration;
  const std::uint32_t part = classifier_.part_for(configuration, cells_);
  const MoveSet legal = legal_moves(system_, configuration);
  const std::vector<double> scores = classifier_.scores_of(part, row, scratch);
  const std::vector<Action>& actions = classifier_.part(part).actions;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < actions.size(); ++i) {
    if (legal.has(actions[i].move)) most = std::max(most, scores[i]);
  }
  if (!std::isfinite(most)) {
    candidates_.push_back({way, classifier_.last_resort(legal), ways_[way].score, false});
    return;
  }
  double sum = 0;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    if (legal.has(actions[i].move)) sum += std::exp((scores[i] - most) / beam_.temperature);
  }
  for (std::size_t i = 0; i < actions.size(); ++i) {
    if (!legal.has(actions[i].move)) continue;
    const double gain = (scores[i] - most) / beam_.temperature - std::log(sum);
    candidates_.push_back({way, actions[i], ways_[way].score + on_grid(gain), false});
  }
}

void BeamSearch::follow_best() {
  std::ranges::stable_sort(candidates_, std::ranges::greater{}, &Candidate::score);
  candidates_.resize(std::min(candidates_.size(), beam_.width));
  std::vector<Way> next;
  next.reserve(candidates_.size());
  for (const Candidate& candidate : candidates_) {
    const Way& before = ways_[candidate.way];
    next.push_back({before.configuration, candidate.score, false, before.last});
    if (candidate.done) continue;
    take(system_, next.back().configuration, candidate.action);
    next.back().last = steps_.size();
    steps_.push_back({candidate.action, before.last});
  }
  ways_ = std::move(next);
}

std::vector<Action> BeamSearch::best_actions() const {
  std::vector<Action> actions;
  for (std::size_t step = ways_.front().last; step != no_step; step = steps_[step].before) {
    actions.push_back(steps_[step].action);
  }
  std::ranges::reverse(actions);
  return actions;
}

}  // namespace gristmill::text_apps::parsing
