// SPDX-License-Identifier: BSD-3-Clause
// What a search for heavy conjunctions has found: the k heaviest so far, or all that weigh enough. Threads share it; in
// which order they find things does not matter.
#pragma once
#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

#include "base/types.hpp"

namespace gristmill::mine {

struct Conjunction {
  std::vector<FeatureId> ids;  // ascending
  std::size_t output = 0;
  double raises = 0;        // what the support rows give that raise the output
  double lowers = 0;        // what those give that lower it
  std::size_t support = 0;  // support rows of this output that hold it: those with a coefficient other than 0

  [[nodiscard]] double weight() const noexcept { return raises + lowers; }
};

// |w| descending; ties go to fewer features, then to smaller ids, then to the earlier output.
[[nodiscard]] bool heavier(const Conjunction& one, const Conjunction& other);

struct HeaviestOptions {
  std::optional<std::size_t> top = std::nullopt;  // from 1 on; none: all that weigh enough
  double sigma = 0;
  std::size_t min_support = 1;
  std::optional<std::size_t> output = std::nullopt;  // none: all of them together
  std::size_t max_found = 1'000'000;                 // without top
};

class FoundConjunctions {
 public:
  explicit FoundConjunctions(const HeaviestOptions& options) : options_(options), floor_(options.sigma) {}

  // What weighs less is not asked for. Never falls.
  [[nodiscard]] double floor() const { return floor_.load(std::memory_order_relaxed); }

  // Whether something like this would still be kept.
  [[nodiscard]] bool has_room_for(const Conjunction& conjunction) const;

  // Throws std::length_error where there are too many.
  void offer(Conjunction conjunction);

  [[nodiscard]] std::vector<Conjunction> sorted() &&;

 private:
  const HeaviestOptions& options_;
  mutable std::mutex mutex_;
  std::vector<Conjunction> heap_;  // the lightest on top; without `top` as they came
  std::atomic<double> floor_;
};

}  // namespace gristmill::mine
