// SPDX-License-Identifier: BSD-3-Clause
// Beam search through the actions of one sentence: the ways with the highest sums of log softmax(score / temperature)
// over legal actions are followed. Of equals the earlier way and the earlier class go first.
//
// Cost: each step copies as many configurations as ways are followed, so quadratic in words.
#pragma once
#include "text_apps/parsing/action_classifier.hpp"
#include "text_apps/parsing/decoder.hpp"

namespace gristmill::text_apps::parsing {

class BeamSearch {
 public:
  BeamSearch(System system, const ActionClassifier& classifier, Beam beam, const text::Cells& cells);

  [[nodiscard]] bool is_done() const noexcept { return open_.empty(); }
  // Those that are not at their end, the best first.
  [[nodiscard]] const std::vector<const Configuration*>& open() const noexcept { return open_; }
  // One action more of each way, given the rows of the open ones.
  void step(rows::Rows rows, ActionClassifier::Scratch& scratch);
  [[nodiscard]] const Configuration& best() const { return ways_.front().configuration; }
  // The actions that have led there.
  [[nodiscard]] std::vector<Action> best_actions() const;

 private:
  static constexpr std::size_t no_step = static_cast<std::size_t>(-1);
  struct Way {
    Configuration configuration;
    double score = 0;
    bool done = false;
    std::size_t last = no_step;
  };
  // An action of some way, and the one before it.
  struct Step {
    Action action;
    std::size_t before;
  };
  // A way with one action more, or one that is done as it is.
  struct Candidate {
    std::size_t way;
    Action action;
    double score;
    bool done;
  };

  void add_candidates(std::size_t way, rows::Row row, ActionClassifier::Scratch& scratch);
  void follow_best();
  void find_open();

  System system_;
  const ActionClassifier& classifier_;
  Beam beam_;
  text::Cells cells_;
  std::vector<Way> ways_;
  std::vector<Step> steps_;  // of all ways, also those that were given up
  std::vector<Candidate> candidates_;
  std::vector<const Configuration*> open_;
};

}  // namespace gristmill::text_apps::parsing
