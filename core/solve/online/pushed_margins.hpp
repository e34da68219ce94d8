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
// The line between the two falls from pass to pass: fewer steps are expected, so more may be pushed.
#pragma once
#include <vector>

#include "solve/online/coloured_records.hpp"
#include "solve/online/dense_conjunctions.hpp"

namespace gristmill {

template <class Number>
class PushedMargins final : public Margins<Number> {
 public:
  PushedMargins(const PolynomialKernel& kernel, std::size_t outputs);

  void expect(const RankRows& examples, const SupportLog<Number>& log) override;
  void begin_pass(bool final) override;
  bool scores(const Example& x, Sign sign, const SupportLog<Number>& log, std::span<Number> out) override;
  void add(const SupportLog<Number>& log) override;
  [[nodiscard]] std::size_t nbytes() const override;

 private:
  [[nodiscard]] std::span<Number> rest(std::size_t example) {
    return std::span(rest_).subspan(example * outputs_, outputs_);
  }
  [[nodiscard]] std::size_t dense_part(std::span<const Rank> ranks) const;
  [[nodiscard]] std::size_t choose_line() const;
  void move_line(std::size_t dense);
  void note_dense_parts();
  void take_in(const SupportLog<Number>& log, const Step<Number>& step);
  void push(std::span<const Rank> ranks, const Step<Number>& step);
  void push_feature(std::span<const RowId> examples, const ColouredRecords::Probe& before, const Step<Number>& step);

  PolynomialKernel kernel_;
  std::size_t outputs_;
  std::vector<Number> values_;  // of the kernel, by overlap
  std::vector<Number> rises_;   // k(m + 1) - k(m)
  DenseConjunctions<Number> common_;
  std::vector<Number> total_;
  const RankRows* examples_ = nullptr;
  Holders holders_;
  std::vector<std::uint32_t> dense_parts_;  // of each example: the first so many features are dense
  std::vector<Number> rest_;                // examples x outputs
  ColouredRecords records_;
  std::vector<Rank> colourless_;         // of a step's row, so far
  std::vector<std::uint32_t> overlaps_;  // of a batch of examples
  std::size_t current_ = 0;              // the example last asked for
  bool final_ = false;                   // those before it will not be asked for again
  std::size_t steps_ = 0;                // in this pass
  double expected_steps_ = 0;            // in the next one
};

}  // namespace gristmill
