// SPDX-License-Identifier: BSD-3-Clause
// From rows to classes, with any scorer: the class of the definition, always. Where the scorer's own rounding, or what
// an approximation has left out, could change a class, the direct scorer is asked; unless nobody asks for certainty.
//
// For those who need a class before they know their next row, such as a tagger. `Scorer.decide` of the Python side is
// the same for many rows at once.
#pragma once
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "score/bits.hpp"
#include "score/decision_policy.hpp"
#include "score/direct.hpp"
#include "score/expanded/scorer.hpp"
#include "score/inverted.hpp"

namespace gristmill::score::decision {

struct LabellerOptions {
  DecisionPolicy policy;
  bool certain = true;        // false: the scorer's own classes, whatever it has left out
  bool complete = true;       // false: the scorer has left out conjunctions
  std::vector<double> doubt;  // how far rounding may move a score, by the length of the row
};

class Labeller {
 public:
  using AnyScorer = std::variant<std::shared_ptr<const DirectScorer>, std::shared_ptr<const InvertedScorer>,
                                 std::shared_ptr<const BitsScorer>, std::shared_ptr<const expanded::ExpandedScorer>>;

  struct Scratch {
    std::variant<DirectScorer::Scratch, InvertedScorer::Scratch, BitsScorer::Scratch, expanded::ExpandedScorer::Scratch>
        scorer;
    std::optional<DirectScorer::Scratch> direct;
    std::vector<double> scores;
    std::vector<std::int32_t> votes;
    EarlyStopStats early_stops;
  };

  Labeller(AnyScorer scorer, std::shared_ptr<const DirectScorer> direct, LabellerOptions options);

  [[nodiscard]] const machine::SetMachine& machine() const noexcept { return direct_->machine(); }
  [[nodiscard]] std::size_t outputs() const noexcept { return direct_->outputs(); }
  [[nodiscard]] std::int32_t classes() const noexcept { return options_.policy.classes; }
  // Whether classes are 0 and 1, by the sign of one score.
  [[nodiscard]] bool goes_by_sign() const noexcept {
    return outputs() == 1 && classes() == 2 && options_.policy.rule == DecisionRule::sign;
  }
  [[nodiscard]] Scratch make_scratch() const;

  // The classes of all rows.
  void decide(rows::Rows rows, std::span<std::int32_t> out, Scratch& scratch) const;

  // The class of a row among those with a mark, of which there is one at least.
  [[nodiscard]] std::int32_t decide_among(rows::Row row, std::span<const std::uint8_t> marked, Scratch& scratch) const;

  // How much each class has for it, with the rounding of the scorer: its score, of one output 0 and the score, of pairs
  // its votes.
  [[nodiscard]] std::vector<double> class_scores(rows::Row row, Scratch& scratch) const;

 private:
  void score(rows::Rows rows, Scratch& scratch) const;
  void score(rows::Row row, Scratch& scratch) const;
  [[nodiscard]] Doubt doubt_about(rows::Row row) const;
  [[nodiscard]] bool is_trusted() const noexcept {
    return std::holds_alternative<std::shared_ptr<const DirectScorer>>(scorer_) || !options_.certain;
  }
  void settle(rows::Rows rows, std::span<std::int32_t> out, Scratch& scratch) const;
  [[nodiscard]] bool is_short(rows::Rows rows) const;
  [[nodiscard]] std::int32_t ask_direct(rows::Row row, std::span<const std::uint8_t> allowed, Scratch& scratch) const;

  AnyScorer scorer_;
  std::shared_ptr<const DirectScorer> direct_;
  LabellerOptions options_;
};

}  // namespace gristmill::score::decision
