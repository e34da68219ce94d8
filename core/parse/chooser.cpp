// SPDX-License-Identifier: BSD-3-Clause
#include "parse/chooser.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace gristmill {

Chooser::Chooser(std::vector<Part> parts, std::optional<Route> route, std::int32_t relation)
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

std::uint32_t Chooser::part_for(const Configuration& configuration, const Cells& cells) const {
  if (!route_) return 0;
  const Word word = word_at(configuration, route_->address);
  if (word == no_word) return route_->other;
  const Strings::Id value = route_->values.find(cells.at(static_cast<std::size_t>(word), route_->column));
  return value == Strings::none ? route_->other : route_->parts[value];
}

Labeller::Scratch& Chooser::scratch_of(std::uint32_t part, Scratch& scratch) const {
  std::optional<Labeller::Scratch>& own = scratch[part];
  return own ? *own : own.emplace(parts_[part].labeller->make_scratch());
}

// The class of all is the class of the legal ones, if it is legal: only else others must be asked for.
void Chooser::choose(std::uint32_t number, Rows rows, std::span<const MoveSet> legal, std::span<Action> out,
                     Scratch& scratch) const {
  const Part& part = parts_[number];
  Labeller::Scratch& own = scratch_of(number, scratch);
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

std::vector<double> Chooser::scores_of(std::uint32_t part, Row row, Scratch& scratch) const {
  return parts_[part].labeller->class_scores(row, scratch_of(part, scratch));
}

std::vector<std::uint8_t> Chooser::mark_legal(std::uint32_t part, MoveSet legal) const {
  std::vector<std::uint8_t> marked;
  marked.reserve(parts_[part].actions.size());
  for (const Action& action : parts_[part].actions) marked.push_back(static_cast<std::uint8_t>(legal.has(action.move)));
  return marked;
}

Action Chooser::last_resort(MoveSet legal) const {
  if (legal.has(Move::shift)) return {Move::shift, no_relation};
  if (legal.has(Move::reduce)) return {Move::reduce, no_relation};
  return {legal.has(Move::right) ? Move::right : Move::left, relation_};
}

}  // namespace gristmill
