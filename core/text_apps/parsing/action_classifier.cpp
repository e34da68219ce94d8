// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/parsing/action_classifier.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace gristmill::text_apps::parsing {

ActionClassifier::ActionClassifier(std::vector<Part> parts, std::optional<Route> route, std::int32_t relation)
    : parts_(std::move(parts)), route_(std::move(route)), relation_(relation) {
  for (const Part& part : parts_) {
    if (part.actions.size() != static_cast<std::size_t>(part.labeller->classes())) {
      throw std::invalid_argument("a machine needs an action for each class");
    }
  }
  const auto unknown = [&](std::uint32_t part) { return part >= parts_.size(); };
  if (parts_.empty() || (!route_ && parts_.size() > 1) ||
      (route_ && (unknown(route_->other) || route_->parts.size() != route_->values.size() ||
                  std::ranges::any_of(route_->parts, unknown)))) {
    throw std::invalid_argument("values lead to machines that are not there");
  }
}

std::uint32_t ActionClassifier::part_for(const Configuration& configuration, const text::Cells& cells) const {
  if (!route_) return 0;
  const Word word = word_at(configuration, route_->address);
  if (word == no_word) return route_->other;
  const templates::Strings::Id value = route_->values.find(cells.at(static_cast<std::size_t>(word), route_->column));
  return value == templates::Strings::none ? route_->other : route_->parts[value];
}

score::decision::Labeller::Scratch& ActionClassifier::scratch_of(std::uint32_t part, Scratch& scratch) const {
  std::optional<score::decision::Labeller::Scratch>& own = scratch[part];
  return own ? *own : own.emplace(parts_[part].labeller->make_scratch());
}

// The class of all is the class of the legal ones, if it is legal: only else others must be asked for.
void ActionClassifier::choose(std::uint32_t number, rows::Rows rows, std::span<const MoveSet> legal,
                              std::span<Action> out, Scratch& scratch) const {
  const Part& part = parts_[number];
  score::decision::Labeller::Scratch& own = scratch_of(number, scratch);
  std::vector<std::int32_t> classes(rows.size());
  part.labeller->decide(rows, classes, own);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    out[row] = part.actions[static_cast<std::size_t>(classes[row])];
    if (legal[row].has(out[row].move)) continue;
    const std::vector<std::uint8_t> marked = mark_legal(number, legal[row]);
    if (std::ranges::none_of(marked, std::identity{})) {
      out[row] = last_resort(legal[row]);
    } else {
      out[row] = part.actions[static_cast<std::size_t>(part.labeller->decide_among(rows[row], marked, own))];
    }
  }
}

std::vector<double> ActionClassifier::scores_of(std::uint32_t part, rows::Row row, Scratch& scratch) const {
  return parts_[part].labeller->class_scores(row, scratch_of(part, scratch));
}

std::vector<std::uint8_t> ActionClassifier::mark_legal(std::uint32_t part, MoveSet legal) const {
  std::vector<std::uint8_t> marked;
  marked.reserve(parts_[part].actions.size());
  for (const Action& action : parts_[part].actions) marked.push_back(static_cast<std::uint8_t>(legal.has(action.move)));
  return marked;
}

Action ActionClassifier::last_resort(MoveSet legal) const {
  if (legal.has(Move::shift)) return {Move::shift, no_relation};
  if (legal.has(Move::reduce)) return {Move::reduce, no_relation};
  return {legal.has(Move::right) ? Move::right : Move::left, relation_};
}

}  // namespace gristmill::text_apps::parsing
