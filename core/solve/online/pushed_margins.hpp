// SPDX-License-Identifier: BSD-3-Clause
// Learning from examples that are visited several times. A score is kept in two parts:
//
//   m(x) = common(x) + rest(x)
//
// common: the conjunctions of the `dense` most frequent features, added up from dense tables at every visit. rest: one
// number per example (and output) for everything else, kept exact by pushing each step to the examples that share one
// of the rarer features of its row. Setting up is then paid per step, not per visit, and steps are few after the first
// pass; what two examples alone have in common costs nothing extra.
//
// The line between the two falls from pass to pass: fewer steps are expected, so more may be pushed. With doubles it
// stays where it is: a learner that goes on from a log must add up in the same order.
//
// Several threads take the examples in blocks: all of them together add up the tables for a block and push the steps of
// the block before, each to a part of the examples. While the block is worked off, a step goes to the tables and, by
// kernel, to the scores that are still to come. Passes in which that costs more than it saves have no blocks.
#pragma once
#include <optional>
#include <vector>

#include "solve/online/dense_conjunctions.hpp"
#include "solve/online/pushed_rest.hpp"

namespace gristmill::solve::online {

template <class Number>
class PushedMargins final : public Margins<Number> {
 public:
  // block: see OnlineOptions.
  PushedMargins(const kernel::PolynomialKernel& kernel, std::size_t outputs, std::optional<std::size_t> block);

  void expect(const RankRows& examples, const SupportLog<Number>& log, Crew& crew) override;
  void offer(KeptScores<Number>&& kept) override { offered_ = std::move(kept); }
  [[nodiscard]] KeptScores<Number> kept() const override;
  void forget_examples() noexcept override { examples_ = nullptr, crew_ = nullptr, block_ = {}; }
  void begin_pass(bool final, const SupportLog<Number>& log) override;
  std::size_t look_ahead(std::span<const RowId> next, const SupportLog<Number>& log) override;
  bool scores(const Example& x, Sign sign, const SupportLog<Number>& log, std::span<Number> out) override;
  void add(const SupportLog<Number>& log) override;
  [[nodiscard]] std::uint64_t postings_read() const override { return rest_.postings_read(); }
  [[nodiscard]] std::size_t nbytes() const override;

 private:
  // Examples that come next, and what their scores are apart from `rest`.
  struct Block {
    std::span<const RowId> examples;
    std::vector<Number> scores;  // examples x outputs
    std::size_t at = 0;          // that is asked for next
  };

  void plan_pass();
  [[nodiscard]] std::size_t plan_blocks(double work) const;
  void move_line(std::size_t dense);
  [[nodiscard]] bool is_usable(const KeptScores<Number>& kept, const SupportLog<Number>& log) const;
  void continue_with(const KeptScores<Number>& kept, const SupportLog<Number>& log);
  void take_in(const SupportLog<Number>& log, const Step<Number>& step);
  void push(const SupportLog<Number>& log, std::size_t part, std::size_t parts, std::size_t worker);
  void push_all(const SupportLog<Number>& log);
  void write_common(std::size_t example, std::span<Number> out) const;
  [[nodiscard]] std::span<Number> block_score(std::size_t at) {
    return std::span(block_.scores).subspan(at * outputs_, outputs_);
  }

  kernel::PolynomialKernel kernel_;
  std::size_t outputs_;
  std::optional<std::size_t> wanted_block_;
  Number empty_value_;  // k(0)
  DenseConjunctions<Number> common_;
  std::vector<Number> total_;
  const RankRows* examples_ = nullptr;
  Crew* crew_ = nullptr;
  PushedRest<Number> rest_;
  std::size_t pushed_ = 0;                  // steps of the log
  std::vector<std::uint32_t> dense_parts_;  // of each example: the first so many features are dense
  std::size_t line_ = 0;                    // planned for `common_`
  std::size_t block_size_ = 0;              // 0: no blocks
  std::uint64_t checksum_ = 0;              // of the examples
  KeptScores<Number> offered_;              // empty: nothing is
  Block block_;
  std::size_t first_ = 0;      // example that will be asked for again
  bool final_ = false;         // those before the current one will not
  std::size_t steps_ = 0;      // in this pass
  double expected_steps_ = 0;  // in the next one
};

}  // namespace gristmill::solve::online
