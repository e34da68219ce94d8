// SPDX-License-Identifier: BSD-3-Clause
#include "score/decision/labeller.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

namespace gristmill::score::decision {
namespace {

// As NumPy's argmax: what is not a number is larger than all.
std::int32_t first_largest(std::span<const double> scores) {
  const auto odd = std::ranges::find_if(scores, [](double score) { return std::isnan(score); });
  return static_cast<std::int32_t>((odd != scores.end() ? odd : std::ranges::max_element(scores)) - scores.begin());
}

void count_votes(std::span<const double> scores, std::int32_t zero_class, std::vector<std::int32_t>& votes) {
  std::size_t classes = 1;
  while (classes * (classes - 1) / 2 < scores.size()) ++classes;
  votes.assign(classes, 0);
  std::size_t output = 0;
  for (std::size_t i = 0; i < classes; ++i) {
    for (std::size_t j = i + 1; j < classes; ++j, ++output) {
      const bool won = scores[output] > 0 || (scores[output] == 0 && zero_class == 1);
      ++votes[won ? i : j];
    }
  }
}

std::int32_t most_voted(std::span<const double> scores, std::int32_t zero_class, std::vector<std::int32_t>& votes) {
  count_votes(scores, zero_class, votes);
  return static_cast<std::int32_t>(std::ranges::max_element(votes) - votes.begin());
}

// As first_largest.
template <class Value>
std::int32_t first_largest_among(std::span<const Value> values, std::span<const std::uint8_t> marked) {
  std::size_t best = static_cast<std::size_t>(std::ranges::find_if(marked, std::identity{}) - marked.begin());
  for (std::size_t i = best; i < values.size(); ++i) {
    if (marked[i] != 0 && (values[i] > values[best] || (values[i] != values[i] && values[best] == values[best])))
      best = i;
  }
  return static_cast<std::int32_t>(best);
}

}  // namespace

std::int32_t class_of(Rule rule, std::span<const double> scores, std::int32_t zero_class,
                      std::vector<std::int32_t>& votes) {
  switch (rule) {
    case Rule::largest:
      return first_largest(scores);
    case Rule::votes:
      return most_voted(scores, zero_class, votes);
    case Rule::sign:
      break;
  }
  return static_cast<std::int32_t>(scores[0] > 0 || (scores[0] == 0 && zero_class == 1));
}

namespace {

// The same among some classes, those with a mark: of one output whichever has it, of votes the most voted of them.
std::int32_t class_among(Rule rule, std::span<const double> scores, std::int32_t zero_class,
                         std::span<const std::uint8_t> marked, std::vector<std::int32_t>& votes) {
  switch (rule) {
    case Rule::largest:
      return first_largest_among(scores, marked);
    case Rule::votes:
      count_votes(scores, zero_class, votes);
      return first_largest_among(std::span<const std::int32_t>(votes), marked);
    case Rule::sign:
      break;
  }
  const std::int32_t found = class_of(rule, scores, zero_class, votes);
  return marked[static_cast<std::size_t>(found)] != 0 ? found : 1 - found;
}

}  // namespace

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
    (*expanded)->decide(rows, 0, rows.size(), options_.rule, options_.doubt, out,
                        std::get<expanded::ExpandedScorer::Scratch>(scratch.scorer), scratch.early_stops);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (out[row] == undecided) out[row] = ask_direct(rows[row], scratch);
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
  } else {
    one_by_one(*std::get<std::shared_ptr<const DirectScorer>>(scorer_),
               std::get<DirectScorer::Scratch>(scratch.scorer));
  }
}

// Classes from scores, those in doubt from the direct scorer.
void Labeller::settle(rows::Rows rows, std::span<std::int32_t> out, Scratch& scratch) const {
  const bool trusted = is_trusted();
  std::vector<double> missing(trusted || options_.complete ? 0 : rows.size());
  if (!missing.empty()) std::get<std::shared_ptr<const expanded::ExpandedScorer>>(scorer_)->missing(rows, missing);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::span<const double> scores = std::span(scratch.scores).subspan(row * outputs(), outputs());
    if (trusted) {
      out[row] = class_of(options_.rule, scores, options_.zero_class, scratch.votes);
      continue;
    }
    out[row] = undecided;
    if (rows.length(row) < options_.doubt.size()) {
      const double bound = options_.doubt[rows.length(row)] + (missing.empty() ? 0.0 : missing[row]);
      out[row] = decided_class(options_.rule, scores, 2 * bound, scratch.votes);
    }
    if (out[row] == undecided) out[row] = ask_direct(rows[row], scratch);
  }
}

std::int32_t Labeller::ask_direct(rows::Row row, Scratch& scratch) const {
  return class_of(options_.rule, direct_scores(row, scratch), options_.zero_class, scratch.votes);
}

std::vector<double> Labeller::direct_scores(rows::Row row, Scratch& scratch) const {
  if (!scratch.direct) scratch.direct = direct_->make_scratch();
  std::vector<double> scores(outputs());
  direct_->score(row, scores, *scratch.direct);
  return scores;
}

void Labeller::score(rows::Row row, Scratch& scratch) const {
  const std::array<Offset, 2> offsets{0, static_cast<Offset>(row.size())};
  score(rows::Rows{offsets, row}, scratch);
}

std::vector<double> Labeller::class_scores(rows::Row row, Scratch& scratch) const {
  score(row, scratch);
  switch (options_.rule) {
    case Rule::largest:
      return scratch.scores;
    case Rule::votes:
      count_votes(scratch.scores, options_.zero_class, scratch.votes);
      return {scratch.votes.begin(), scratch.votes.end()};
    case Rule::sign:
      break;
  }
  return {0.0, scratch.scores[0]};
}

// --- among some classes ------------------------------------------------------------------------------------------

std::int32_t Labeller::decide_among(rows::Row row, std::span<const std::uint8_t> marked, Scratch& scratch) const {
  score(row, scratch);
  const std::int32_t found = class_among(options_.rule, scratch.scores, options_.zero_class, marked, scratch.votes);
  if (is_trusted() || is_certain_among(scratch.scores, 2 * doubt_about(row), found, marked)) return found;
  return class_among(options_.rule, direct_scores(row, scratch), options_.zero_class, marked, scratch.votes);
}

// How far the scores of a row may be from the definition.
double Labeller::doubt_about(rows::Row row) const {
  if (row.size() >= options_.doubt.size()) return std::numeric_limits<double>::infinity();
  const std::array<Offset, 2> offsets{0, static_cast<Offset>(row.size())};
  std::array<double, 1> missing{};
  if (!options_.complete) {
    std::get<std::shared_ptr<const expanded::ExpandedScorer>>(scorer_)->missing({offsets, row}, missing);
  }
  return options_.doubt[row.size()] + missing[0];
}

// Whether it would be found too if two scores moved apart by `apart`, or one of a pair or of two classes by as much.
bool Labeller::is_certain_among(std::span<const double> scores, double apart, std::int32_t found,
                                std::span<const std::uint8_t> marked) const {
  if (options_.rule != Rule::largest) {
    return std::ranges::all_of(scores, [&](double score) { return std::abs(score) > apart; });
  }
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (marked[i] != 0 && static_cast<std::int32_t>(i) != found &&
        !(scores[static_cast<std::size_t>(found)] - scores[i] > apart)) {
      return false;
    }
  }
  return true;
}

}  // namespace gristmill::score::decision
