// SPDX-License-Identifier: BSD-3-Clause
// The branch and bound of heaviest_fragments.hpp, a thread's share of it: depth first, the most promising extensions
// first, so that the threshold rises early. Nothing recurses.
#pragma once
#include <deque>

#include "mine/fragments/growth_room.hpp"
#include "mine/fragments/output_sums.hpp"

namespace gristmill::mine::fragments {

// What all searches work on together.
struct HeaviestTask {
  const kernel::trees::TreeKernel& kernel;
  const forest::SubtreeIndex& index;
  const TreeCoefficients& coef;
  const FragmentOptions& options;
  HeaviestList& list;
  Stop& stop;

  // Whether it is worth looking for what weighs so much at most; bounds are rounded.
  [[nodiscard]] bool is_worth(double bound) const noexcept { return !(bound * (1 + 1e-9) < list.threshold()); }
};

class HeaviestSearch {
 public:
  static constexpr double nothing = -1;  // a bound that is never worth it

  HeaviestSearch(const HeaviestTask& task, const MinedTrees& trees, const GrowthRoom& room, std::size_t worker)
      : task_(task), trees_(trees), room_(room), sums_(task.coef), growth_(task.kernel, trees, task.stop, worker) {}

  // Offers the fragment in these places, and says what anything that grows from it weighs at most.
  [[nodiscard]] double weigh(std::span<const FragmentStep> fragment, std::span<const WeightedPlace> places);

  // All fragments that grow from one.
  void run(const FragmentStep& root, std::span<const WeightedPlace> places);

 private:
  struct Branch {
    std::uint32_t extension;
    double bound;
  };
  struct Level {
    WeightedExtensions extensions;
    std::vector<Branch> branches;
    std::size_t next = 0;
  };

  void open(Level& level, std::span<const WeightedPlace> places);
  void grow_or_shrink(std::size_t& height);
  void add_places(std::span<const WeightedPlace> places, std::uint32_t depth, bool grows);
  [[nodiscard]] bool counts(std::span<const FragmentStep> fragment) const;
  [[nodiscard]] bool has_mark(std::span<const FragmentStep> fragment) const;
  [[nodiscard]] double value(std::span<const FragmentStep> fragment) const;
  void offer(std::span<const FragmentStep> fragment, std::uint32_t output, const OutputSums::Sum& sum, double value);

  const HeaviestTask& task_;
  const MinedTrees& trees_;
  const GrowthRoom& room_;
  OutputSums sums_;
  WeightedGrowth growth_;
  std::vector<FragmentStep> path_;
  std::deque<Level> levels_;  // spans point into them
};

}  // namespace gristmill::mine::fragments
