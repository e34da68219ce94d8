// SPDX-License-Identifier: BSD-3-Clause
// Scores of examples while the machine grows. Engines differ in what they keep, never in what they answer.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/crew.hpp"
#include "solve/online/log.hpp"
#include "solve/online/update_rule.hpp"

namespace gristmill::solve::online {

struct Example {
  std::size_t number;                 // among those of this call
  std::span<const rows::Rank> ranks;  // ascending
};

// With one output: the sign that the score should have, +1 or -1; 0 where there is no such thing.
using Sign = int;

// What an engine has added up for the examples of a call, so that it need not be added up again.
template <class Number>
struct KeptScores {
  std::uint64_t examples = 0;  // their checksum
  std::size_t first = 0;       // example whose score is right: those before it were in their last pass
  std::size_t line = 0;        // between features whose weights are in tables and those that are pushed
  std::size_t steps = 0;       // of the log that are in it
  std::vector<Number> rest;    // examples x outputs
};

template <class Number>
class Margins {
 public:
  Margins() = default;
  Margins(const Margins&) = delete;
  Margins& operator=(const Margins&) = delete;
  virtual ~Margins() = default;

  // All examples that will be asked for from now on, and who may help. They outlive the engine's use of them.
  virtual void expect(const RankRows& /*examples*/, const SupportLog<Number>& /*log*/, Crew& /*crew*/) {}
  // Before expect(), for the same examples: kept by an engine of this kind that had the same log.
  virtual void offer(KeptScores<Number>&& /*kept*/) {}
  [[nodiscard]] virtual KeptScores<Number> kept() const { return {}; }
  // The examples of expect() are gone.
  virtual void forget_examples() noexcept {}
  // final: in order of their numbers, and each for the last time.
  virtual void begin_pass(bool /*final*/, const SupportLog<Number>& /*log*/) {}

  // Those that come next, in this order; some of them may be left out. Returns how many it has seen to: call it again
  // after these.
  virtual std::size_t look_ahead(std::span<const RowId> next, const SupportLog<Number>& /*log*/) { return next.size(); }

  // False when the example is certain to need no step, found without finishing; else `out` has the scores.
  virtual bool scores(const Example& x, Sign sign, const SupportLog<Number>& log, std::span<Number> out) = 0;

  // A step has been taken: the last one of the log.
  virtual void add(const SupportLog<Number>& log) = 0;

  // Entries of inverted indexes that were read, or pushed to, so far.
  [[nodiscard]] virtual std::uint64_t postings_read() const = 0;
  [[nodiscard]] virtual std::size_t nbytes() const = 0;
};

// Adds a step's part of the scores: f is what its row is worth to x.
template <class Number>
void add_step(const Step<Number>& step, Number f, std::span<Number> out) {
  if (step.up >= 0) out[static_cast<std::size_t>(step.up)] += step.size * f;
  if (step.down >= 0) out[static_cast<std::size_t>(step.down)] -= step.size * f;
}

}  // namespace gristmill::solve::online
