// SPDX-License-Identifier: BSD-3-Clause
// Some answer without a proof: the step after which least is missing, again and again; then what is needless is left
// out.
#pragma once
#include <optional>
#include <span>

#include "explain/decisions/answer_test.hpp"
#include "explain/decisions/node_bounds.hpp"

namespace gristmill::explain::decisions {

class GreedySearch {
 public:
  GreedySearch(const StepTable& steps, Gains& gains, AnswerTest& test) : steps_(steps), gains_(gains), test_(test) {}

  // Of up to `most` steps. row_scores: of the row that the gains are at.
  [[nodiscard]] std::optional<Path> find(const Goal& goal, std::span<const double> row_scores, std::size_t most);

 private:
  [[nodiscard]] StepId best_step(const NodeBounds& bounds, const Path& path) const;
  [[nodiscard]] bool is_taken(std::uint32_t variable, const Path& path) const;
  void drop_needless(Path& path);

  const StepTable& steps_;
  Gains& gains_;
  AnswerTest& test_;
};

}  // namespace gristmill::explain::decisions
