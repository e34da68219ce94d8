// SPDX-License-Identifier: BSD-3-Clause
// Gains by the weights of conjunctions. A step adds, for each part of the row of up to degree - 2 features, the list of
// the part and the feature: one list of a degree 2 machine.
#pragma once
#include <memory>
#include <vector>

#include "explain/decisions/conjunction_weights.hpp"
#include "explain/decisions/gain_levels.hpp"

namespace gristmill::explain::decisions {

class ConjunctionGains final : public Gains {
 public:
  explicit ConjunctionGains(std::shared_ptr<const ConjunctionWeights> weights);

  void start(std::span<const Slot> present, const Steps& steps) override;
  void take(Step step) override;
  void undo() override;
  [[nodiscard]] const double* of(std::size_t output) const override { return levels_.of(output); }
  void interactions(std::size_t own, Step step, std::size_t others, const Combination& combination,
                    std::span<double> out) override;
  [[nodiscard]] bool pairwise() const noexcept override { return weights_->size() <= 2; }
  [[nodiscard]] double rounding(std::size_t output, std::size_t steps) const override;

 private:
  [[nodiscard]] Slot none() const noexcept { return static_cast<Slot>(weights_->features()); }
  // The lists of `feature` (or of none) and each part of the row, without one of its features. Out: numbers or sums.
  template <class Out>
  void add_lists(Slot feature, Slot without, const Combination& combination, double sign, Out& out);
  template <class Out>
  void add_parts(std::size_t first, Slot without, std::size_t most, const Combination& combination, double sign,
                 Out& out);
  template <class Out>
  void add_list(std::uint32_t list, const Combination& combination, double sign, Out& out) const;

  // visit(variable, the largest sum of one of its steps) for variables that have one above 0.
  template <class Visit>
  void for_each_best(const SlotSums& sums, const Visit& visit);
  void pairs_and_more(std::size_t own, Step step, std::size_t others, const Combination& combination,
                      std::span<double> out);
  [[nodiscard]] std::uint32_t number_of(std::size_t own, Step step) const;
  // Room for what pairs of steps may add beyond, which is the same from either side; or none where they are too many.
  void remember(std::size_t others, const Combination& combination);
  // What two steps and up to `others` more may add together beyond what the two add at this row.
  [[nodiscard]] double beyond(std::size_t own, Step step, std::size_t partner, Step other, std::size_t others,
                              const Combination& combination);
  [[nodiscard]] double higher(Step step, Step other, const Combination& combination) const;

  std::shared_ptr<const ConjunctionWeights> weights_;
  GainLevels levels_;
  std::vector<Slot> present_;
  std::vector<Step> taken_;
  std::vector<Slot> set_;
  SlotSums pairs_;
  SlotSums triples_;
  Steps steps_;
  std::vector<std::uint32_t> variable_of_;  // by slot, of those that a step leads to or from; or none
  std::vector<Slot> from_;                  // by variable
  std::vector<double> best_;                // by variable
  std::vector<std::uint32_t> with_best_;
  std::vector<double> largest_;
  std::vector<double> known_;  // steps x steps, the smaller first; below 0: not known yet
  std::size_t known_others_ = 0;
  Combination known_combination_;
};

class ConjunctionSource final : public GainSource {
 public:
  explicit ConjunctionSource(std::shared_ptr<const ConjunctionWeights> weights) : weights_(std::move(weights)) {}
  [[nodiscard]] std::unique_ptr<Gains> gains() const override { return std::make_unique<ConjunctionGains>(weights_); }
  [[nodiscard]] std::size_t nbytes() const noexcept override { return weights_->nbytes(); }

 private:
  std::shared_ptr<const ConjunctionWeights> weights_;
};

}  // namespace gristmill::explain::decisions
