// SPDX-License-Identifier: BSD-3-Clause
// What features add to the scores of a machine at a row that changes by steps, and how far two changes can help each
// other: all that a search needs to know about a machine.
//
// Features come in groups, of which a row has at most one each. The gain of a feature is what it adds to the row
// without the others of its group, so that a step from a to b changes a score by gain(b) - gain(a).
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace gristmill::explain::decisions {

using Slot = std::uint32_t;  // a feature by its rank; the number of features stands for none, and for those unknown

struct Step {
  Slot from;
  Slot to;
};

// A score, or the difference of two, with a sign.
struct Combination {
  std::size_t output = 0;
  double sign = 1;
  std::size_t minus = no_output;  // an output whose score is subtracted

  static constexpr std::size_t no_output = static_cast<std::size_t>(-1);
  [[nodiscard]] bool operator==(const Combination&) const = default;
  [[nodiscard]] bool is_difference() const noexcept { return minus != no_output; }
};

// The steps that variables may take: those of variable v from starts[v] on.
struct Steps {
  std::span<const std::uint32_t> starts;
  std::span<const Step> steps;

  [[nodiscard]] std::size_t variables() const noexcept { return starts.size() - 1; }
};

// The state of one search. The row has no two features of a group.
class Gains {
 public:
  Gains() = default;
  Gains(const Gains&) = delete;
  Gains& operator=(const Gains&) = delete;
  virtual ~Gains() = default;

  virtual void start(std::span<const Slot> present, const Steps& steps) = 0;
  virtual void take(Step step) = 0;
  virtual void undo() = 0;  // the last step that was taken

  // By slot.
  [[nodiscard]] virtual const double* of(std::size_t output) const = 0;

  // For each variable: how much more its best step can add because of this one (of `own`), whichever `others` more are
  // taken; 0 or more. Asked at the row itself.
  virtual void interactions(std::size_t own, Step step, std::size_t others, const Combination& combination,
                            std::span<double> out) = 0;

  // Whether interactions are the same for any number of others.
  [[nodiscard]] virtual bool pairwise() const noexcept = 0;

  // How far scores that are added up from gains may be off after so many steps, from the definition's as computed.
  [[nodiscard]] virtual double rounding(std::size_t output, std::size_t steps) const = 0;
};

// A machine made ready for searches. Immutable; threads share it.
class GainSource {
 public:
  GainSource() = default;
  GainSource(const GainSource&) = delete;
  GainSource& operator=(const GainSource&) = delete;
  virtual ~GainSource() = default;

  [[nodiscard]] virtual std::unique_ptr<Gains> gains() const = 0;
  [[nodiscard]] virtual std::size_t nbytes() const noexcept = 0;
};

}  // namespace gristmill::explain::decisions
