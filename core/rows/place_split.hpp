// SPDX-License-Identifier: BSD-3-Clause
// The places of a conjunction, by the features that come before: how a conjunction grows by one that is more frequent
// than all it has.
#pragma once
#include <span>
#include <vector>

#include "base/stop.hpp"
#include "rows/ranked_rows.hpp"

namespace gristmill::rows {

class PlaceSplit {
 public:
  using Place = RankedRows::Place;

  explicit PlaceSplit(std::size_t features) : counts_(features, 0) {}

  void make(const RankedRows& rows, std::span<const Place> places, Pulse& pulse) {
    count(rows, places, pulse);
    starts_.assign(1, 0);
    for (const Rank rank : features_) {
      starts_.push_back(starts_.back() + counts_[rank]);
      counts_[rank] = static_cast<std::uint32_t>(starts_[starts_.size() - 2]);
    }
    places_.resize(starts_.back());
    for (const Place place : places) {
      const std::span<const Rank> more_frequent = rows.more_frequent(place);
      for (std::uint32_t at = 0; at < more_frequent.size(); ++at) {
        places_[counts_[more_frequent[at]]++] = {place.row, at};
      }
    }
    for (const Rank rank : features_) counts_[rank] = 0;
  }

  [[nodiscard]] std::span<const Rank> features() const noexcept { return features_; }  // in order of appearance
  [[nodiscard]] std::span<const Place> places(std::size_t at) const {
    return std::span(places_).subspan(starts_[at], starts_[at + 1] - starts_[at]);
  }

 private:
  void count(const RankedRows& rows, std::span<const Place> places, Pulse& pulse) {
    features_.clear();
    for (const Place place : places) {
      pulse(place.at);
      for (const Rank rank : rows.more_frequent(place)) {
        if (counts_[rank]++ == 0) features_.push_back(rank);
      }
    }
  }

  std::vector<std::uint32_t> counts_;  // by rank; zero between uses
  std::vector<Rank> features_;
  std::vector<std::size_t> starts_;  // of the places of each feature
  std::vector<Place> places_;
};

}  // namespace gristmill::rows
