// SPDX-License-Identifier: BSD-3-Clause
#include "score/decision/labeller.hpp"

#include <array>
#include <limits>

namespace gristmill::score::decision {

Labeller::Labeller(AnyScorer scorer, std::shared_ptr<const DirectScorer> direct, LabellerOptions options)
    : scorer_(std::move(scorer)), direct_(std::move(direct)), options_(std::move(options)) {}

Labeller::Scratch Labeller::make_scratch() const {
  Scratch scratch;
  std::visit([&](const auto& scorer) { scratch.scorer = scorer->make_scratch(); }, scorer_);
  return scratch;
}

void Labeller::decide(rows::Rows rows, std::span<std::int32_t> out, Scratch& scratch) const {
  const auto* expanded = std::get_if<std::shared_ptr<const expanded::ExpandedScorer>>(&scorer_);
  if (expanded != nullptr && options_.complete && options_.certain && is_short(rows)) {
    (*expanded)->decide(rows, 0, rows.size(), options_.policy, options_.doubt, out,
                        std::get<expanded::ExpandedScorer::Scratch>(scratch.scorer), scratch.early_stops);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (out[row] == undecided) out[row] = ask_direct(rows[row], {}, scratch);
    }
    return;
  }
  score(rows, scratch);
  settle(rows, out, scratch);
}

bool Labeller::is_short(rows::Rows rows) const { return rows.longest() < options_.doubt.size(); }

void Labeller::score(rows::Rows rows, Scratch& scratch) const {
  scratch.scores.resize(rows.size() * outputs());
  const std::span<double> scores = scratch.scores;
  if (const auto* expanded = std::get_if<std::shared_ptr<const expanded::ExpandedScorer>>(&scorer_)) {
    return (*expanded)->score(rows, 0, rows.size(), scores,
                              std::get<expanded::ExpandedScorer::Scratch>(scratch.scorer));
  }
  const auto one_by_one = [&](const auto& scorer, auto& own) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      scorer.score(rows[row], scores.subspan(row * outputs(), outputs()), own);
    }
  };
  if (const auto* inverted = std::get_if<std::shared_ptr<const InvertedScorer>>(&scorer_)) {
    one_by_one(**inverted, std::get<InvertedScorer::Scratch>(scratch.scorer));
  } else if (const auto* bits = std::get_if<std::shared_ptr<const BitsScorer>>(&scorer_)) {
    one_by_one(**bits, std::get<BitsScorer::Scratch>(scratch.scorer));
  } else {
    one_by_one(*std::get<std::shared_ptr<const DirectScorer>>(scorer_),
               std::get<DirectScorer::Scratch>(scratch.scorer));
  }
}

// Classes from scores, those in doubt from the direct scorer.
void Labeller::settle(rows::Rows rows, std::span<std::int32_t> out, Scratch& scratch) const {
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::span<const double> scores = std::span(scratch.scores).subspan(row * outputs(), outputs());
    out[row] = score::decide(options_.policy, scores, doubt_about(rows[row]), {}, scratch.votes);
    if (out[row] == undecided) out[row] = ask_direct(rows[row], {}, scratch);
  }
}

std::int32_t Labeller::ask_direct(rows::Row row, std::span<const std::uint8_t> allowed, Scratch& scratch) const {
  if (!scratch.direct) scratch.direct = direct_->make_scratch();
  std::vector<double> scores(outputs());
  direct_->score(row, scores, *scratch.direct);
  return score::decide(options_.policy, scores, {}, allowed, scratch.votes);
}

// How far the scores of a row may be from the definition.
Doubt Labeller::doubt_about(rows::Row row) const {
  if (is_trusted()) return {};
  if (row.size() >= options_.doubt.size()) return Doubt::of(std::numeric_limits<double>::infinity());
  const std::array<Offset, 2> offsets{0, static_cast<Offset>(row.size())};
  std::array<double, 1> bound{};
  if (!options_.complete) {
    std::get<std::shared_ptr<const expanded::ExpandedScorer>>(scorer_)->error_bounds({offsets, row}, bound);
  }
  return Doubt::of(options_.doubt[row.size()] + bound[0]);
}

std::int32_t Labeller::decide_among(rows::Row row, std::span<const std::uint8_t> marked, Scratch& scratch) const {
  score(row, scratch);
  const std::int32_t found = score::decide(options_.policy, scratch.scores, doubt_about(row), marked, scratch.votes);
  return found == undecided ? ask_direct(row, marked, scratch) : found;
}

void Labeller::score(rows::Row row, Scratch& scratch) const {
  const std::array<Offset, 2> offsets{0, static_cast<Offset>(row.size())};
  score(rows::Rows{offsets, row}, scratch);
}

std::vector<double> Labeller::class_scores(rows::Row row, Scratch& scratch) const {
  score(row, scratch);
  switch (options_.policy.rule) {
    case DecisionRule::largest:
      return scratch.scores;
    case DecisionRule::votes:
      count_votes(options_.policy, scratch.scores, scratch.votes);
      return {scratch.votes.begin(), scratch.votes.end()};
    case DecisionRule::sign:
      break;
  }
  return {0.0, scratch.scores[0]};
}

}  // namespace gristmill::score::decision
