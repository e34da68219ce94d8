// SPDX-License-Identifier: BSD-3-Clause
#include "rows/ranked_rows.hpp"

#include <limits>
#include <stdexcept>

namespace gristmill::rows {

RankedRows::RankedRows(Rows rows) : features_(rows), longest_(rows.longest()), ranks_(rows.ids.size()) {
  if (rows.size() > std::numeric_limits<RowId>::max()) throw std::invalid_argument("more than 2^32 rows");
  offsets_.assign(rows.offsets.begin(), rows.offsets.end());
  if (offsets_.empty()) offsets_.push_back(0);
  for (std::size_t at = 0; at < ranks_.size(); ++at) ranks_[at] = features_.find(rows.ids[at]);
  starts_.assign(features_.size() + 1, 0);
  for (Rank rank = 0; rank < features_.size(); ++rank) starts_[rank + 1] = starts_[rank] + features_.count(rank);
  places_.resize(ranks_.size());
  std::vector<std::size_t> next = starts_;
  for (std::size_t row = 0; row < size(); ++row) {
    const std::span<Rank> ranks = std::span(ranks_).subspan(offsets_[row], offsets_[row + 1] - offsets_[row]);
    std::ranges::sort(ranks);
    for (std::size_t at = 0; at < ranks.size(); ++at) {
      places_[next[ranks[at]]++] = {static_cast<RowId>(row), static_cast<std::uint32_t>(at)};
    }
  }
}

}  // namespace gristmill::rows
