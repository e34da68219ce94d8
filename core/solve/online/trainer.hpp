// SPDX-License-Identifier: BSD-3-Clause
// Online training from rows of feature ids: ranks, numbers and engines chosen, examples translated, passes made.
#pragma once
#include <optional>
#include <variant>

#include "base/observer.hpp"
#include "solve/online/learner.hpp"
#include "solve/online/rank_table.hpp"
#include "solve/online/sliced_margins.hpp"

namespace gristmill::solve::online {

enum class OnlineEngine { kernel, sliced, pushed };

struct OnlineOptions {
  kernel::PolynomialKernel kernel;
  RuleOptions rule;
  std::size_t outputs = 1;      // one for two classes, else as many as classes
  std::optional<int> exponent;  // of the unit, 2^-exponent; nothing: doubles. It grows where a row's steps need more
  OnlineEngine engine = OnlineEngine::sliced;
  SliceOptions slices;
  std::optional<std::size_t> block;  // examples that `pushed` prepares at once, 0: one by one; nothing: it plans them
  bool by_frequency = true;          // rank the features of the first call so; else all in order of appearance
};

struct OnlineCall {
  rows::Rows rows;
  std::span<const std::int32_t> labels;
  std::span<const double> weights;  // factors of C; empty: all 1
  std::size_t passes = 1;
  std::optional<std::uint64_t> seed;  // of the order of examples; nothing: as they come
  std::size_t visited = 0;            // visits of this call that were made before, by a trainer that stopped
  std::size_t threads = 1;            // where the engine can use them and the numbers are integers
};

class OnlineTrainer {
 public:
  explicit OnlineTrainer(const OnlineOptions& options);

  // Continues with what was learned before. When the observer stops it, Interrupted is thrown, and what was learned so
  // far stays.
  void learn(const OnlineCall& call, Observer& observer);

  // Visits of the last call, or of the one that is under way, that have been made.
  [[nodiscard]] std::size_t visited() const noexcept { return visited_; }

  [[nodiscard]] LearnerStats stats() const;
  [[nodiscard]] std::size_t support_rows() const;
  [[nodiscard]] std::size_t nbytes() const;
  [[nodiscard]] std::uint64_t postings_read() const;  // see Margins; by the engine now at work

  // Everything that was learned, as plain arrays: enough to go on elsewhere as if nothing had happened. Sizes of steps
  // are whole numbers of units, or doubles where there is no unit.
  struct State {
    std::vector<FeatureId> features;  // by rank
    std::vector<Offset> offsets;      // of the rows, as ranks
    std::vector<rows::Rank> ranks;
    std::vector<RowId> rows;  // of each step, ...
    std::vector<std::int32_t> up;
    std::vector<std::int32_t> down;
    std::vector<Wide> units;
    std::vector<double> sizes;
    std::vector<std::uint64_t> times;
    LearnerStats stats;
  };
  [[nodiscard]] State state() const;
  // Into a trainer that has learned nothing yet.
  void restore(const State& state);

  // Scores of the examples of the last call, or of the one under way: enough to go on with it without adding up what
  // was learned again. Empty where the engine keeps none.
  struct Kept {
    std::uint64_t examples = 0;  // their checksum
    std::size_t first = 0;       // example whose score is right
    std::size_t line = 0;
    std::size_t steps = 0;
    std::vector<Wide> units;  // or, ...
    std::vector<double> sizes;
  };
  [[nodiscard]] Kept kept() const;
  // For the next call, if it goes on with the one that they are of.
  void offer(Kept kept) { offered_ = std::move(kept); }

  // Of the unit now; nothing: doubles.
  [[nodiscard]] std::optional<int> exponent() const noexcept { return options_.exponent; }

  // Starts from a machine: rows and coefficients (rows x outputs), rounded to units. Nothing may have been learned yet.
  void start_from(rows::Rows rows, std::span<const double> coef);

  // Support rows as ascending feature ids, and coefficients, rows x outputs. Rows are all different, and none has
  // nothing but zeros.
  struct Support {
    std::vector<Offset> offsets;
    std::vector<FeatureId> ids;
    std::vector<double> coef;
  };
  [[nodiscard]] Support support(bool averaged) const;

 private:
  using AnyLearner = std::variant<Learner<std::int64_t>, Learner<Wide>, Learner<double>>;

  template <class Number>
  [[nodiscard]] Learner<Number> make_learner() const;
  [[nodiscard]] AnyLearner first_learner() const;
  // Acts on the learner, and again, with wider numbers, where the first ones were too narrow.
  template <class Action>
  void with_room(const RankRows& examples, Crew& crew, Action action);
  template <class Number>
  [[nodiscard]] SupportLog<Number> log_of(const State& state) const;
  void continue_with(const State& state);
  void refine_unit(int exponent);
  void pass_on_kept(const OnlineCall& call);
  void learn_pass(const OnlineCall& call, const RankRows& examples, std::span<const RowId> order,
                  std::vector<RowId>& stored, std::size_t done, Crew& crew, Observer& observer);

  OnlineOptions options_;
  RankTable rank_table_;
  AnyLearner learner_;
  std::size_t visited_ = 0;
  std::optional<Kept> offered_;
};

}  // namespace gristmill::solve::online
