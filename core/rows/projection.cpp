// SPDX-License-Identifier: BSD-3-Clause
#include "rows/projection.hpp"

#include <algorithm>

namespace gristmill::rows {

void Projection::make(const RankedRows& rows, std::span<const Place> places) {
  features_.clear();
  for (const Place place : places) {
    for (const Rank rank : rows.more_frequent(place)) {
      if (counts_[rank]++ == 0) features_.push_back(rank);
    }
  }
  std::ranges::sort(features_);
  starts_.assign(1, 0);
  for (const Rank rank : features_) starts_.push_back(starts_.back() + counts_[rank]);
  places_.resize(starts_.back());
  for (std::size_t at = 0; at < features_.size(); ++at) counts_[features_[at]] = starts_[at];  // now: where to write
  for (const Place place : places) {
    const std::span<const Rank> more_frequent = rows.more_frequent(place);
    for (std::uint32_t at = 0; at < more_frequent.size(); ++at) places_[counts_[more_frequent[at]]++] = {place.row, at};
  }
  for (const Rank rank : features_) counts_[rank] = 0;
}

}  // namespace gristmill::rows
