// SPDX-License-Identifier: BSD-3-Clause
// The step of PrefixSpan (Pei et al. 2001) on sets: from the places where a conjunction stands, the places where it
// stands together with each more frequent feature.
#pragma once
#include <span>
#include <vector>

#include "rows/ranked_rows.hpp"

namespace gristmill::rows {

// Reusable: one per depth of a search. Cost of a call: the more_frequent of all places, twice.
class Projection {
 public:
  using Place = RankedRows::Place;

  explicit Projection(std::size_t features) : counts_(features, 0) {}

  void make(const RankedRows& rows, std::span<const Place> places);

  // The features that stand in the more_frequent of some place, ascending, and where.
  [[nodiscard]] std::span<const Rank> features() const noexcept { return features_; }
  [[nodiscard]] std::span<const Place> places(std::size_t at) const {
    return std::span(places_).subspan(starts_[at], starts_[at + 1] - starts_[at]);
  }

 private:
  std::vector<std::size_t> counts_;  // by rank; zero between calls
  std::vector<Rank> features_;
  std::vector<std::size_t> starts_;
  std::vector<Place> places_;
};

}  // namespace gristmill::rows
