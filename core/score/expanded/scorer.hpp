// SPDX-License-Identifier: BSD-3-Clause
// The expanded scorer (PKE; Kudo and Matsumoto 2003, section 4.2) and the split scorer (splitSVM; Goldberg and Elhadad
// 2008): a machine as a table of the weights of its conjunctions, rare features left to a comparison with the support
// rows that have them.
//
//   f(x) = b + sum of w(s) over conjunctions s of frequent features of x
//            + sum over support rows i with a rare feature of x of a_i (what that feature adds)
//
// Cost per example: its conjunctions of up to `degree` frequent features, a few nanoseconds each at worst, and a line
// of memory per support row with one of its rare features. Exact for every choice of the line between frequent and
// rare. The conjunctions of a machine of conjunctions are given instead, and rare features are those beyond what combs
// can hold.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <variant>

#include "base/observer.hpp"
#include "machine/conjunction_machine.hpp"
#include "machine/machine.hpp"
#include "machine/pke_thresholds.hpp"
#include "score/expanded/multi_output.hpp"
#include "score/expanded/plan.hpp"
#include "score/expanded/single_output.hpp"
#include "score/expanded/visits.hpp"

namespace gristmill::score::expanded {

struct ExpandedOptions {
  machine::PkeThresholds keep;
  std::optional<std::size_t> rare;        // features in at most this many support rows are rare; nothing: chosen
  std::optional<std::size_t> max_bytes;   // of memory; nothing: default_max_bytes
  rows::Rows sample;                      // rows to expect; empty: the support rows
  bool rare_may_grow = false;             // more features than `rare` says, where the others do not fit
  rows::Rank common_limit = most_common;  // of common features; the others are rare in any case
};

// For conjunctions that are given.
struct GivenOptions {
  std::optional<std::size_t> max_bytes;
  std::size_t reach_length = 32;          // rows of more features are looked at to their end
  rows::Rank common_limit = most_common;  // as above
};

class ExpandedScorer {
 public:
  static constexpr std::size_t default_max_bytes = std::size_t{4} << 30;
  static constexpr std::size_t most_degree = 12;

  // What is left for tables beside a machine of so many bytes.
  [[nodiscard]] static std::size_t room_beside(std::size_t machine_bytes, std::optional<std::size_t> max_bytes);
  static constexpr std::size_t grain = 256;  // rows handed to a thread at once

  using AnyTables = std::variant<Tables<double>, Tables<RowRef>>;
  using Scratch = std::variant<SingleScratch, MultiScratch>;

  // Throws std::length_error when the expansion does not fit into max_bytes and no line may be moved.
  ExpandedScorer(const std::shared_ptr<const machine::SetMachine>& machine, const ExpandedOptions& options,
                 Observer& observer);
  // Throws std::invalid_argument for conjunctions of more than most_degree features.
  ExpandedScorer(const std::shared_ptr<const machine::ConjunctionMachine>& machine, const GivenOptions& options,
                 Observer& observer);
  // As saved; tables must be sound (see tables_io.hpp).
  template <class Machine>
  ExpandedScorer(const std::shared_ptr<const Machine>& machine, AnyTables tables)
      : coef_(machine, &machine->coef), machine_bytes_(machine->nbytes()), tables_(std::move(tables)) {}

  [[nodiscard]] std::size_t outputs() const noexcept { return coef_->outputs(); }
  [[nodiscard]] std::size_t nbytes() const;
  [[nodiscard]] std::size_t conjunctions() const;
  [[nodiscard]] FeatureTiers lines() const;
  [[nodiscard]] const AnyTables& tables() const noexcept { return tables_; }
  [[nodiscard]] Scratch make_scratch() const;

  void score(rows::Rows rows, std::size_t begin, std::size_t end, std::span<double> out, Scratch& scratch) const;

  // Classes, or undecided; see single_output.hpp and multi_output.hpp.
  void decide(rows::Rows rows, std::size_t begin, std::size_t end, const DecisionPolicy& policy,
              std::span<const double> doubt, std::span<std::int32_t> out, Scratch& scratch,
              EarlyStopStats& early_stops) const;

  // What scoring the rows looks at, in all.
  [[nodiscard]] Visits visits(rows::Rows rows) const;

  // How far the score of each row may lie from the machine's for want of dropped conjunctions.
  void error_bounds(rows::Rows rows, std::span<double> out) const;

 private:
  std::shared_ptr<const machine::Coefficients> coef_;  // keeps the whole machine
  std::size_t machine_bytes_;
  AnyTables tables_;
};

}  // namespace gristmill::score::expanded
