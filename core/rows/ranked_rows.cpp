// SPDX-License-Identifier: BSD-3-Clause
#include "rows/ranked_rows.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace gristmill::rows {

RankedRows::RankedRows(Rows rows) : features_(rows), longest_(rows.longest()) {
  if (rows.size() > std::numeric_limits<RowId>::max()) throw std::invalid_argument("more than 2^32 rows");
  rows_ = Lists<Rank>::of_lengths(rows.size(), [&](std::size_t row) { return rows.length(row); });
  for (std::size_t row = 0; row < size(); ++row) {
    const std::span<Rank> ranks = rows_[row];
    std::ranges::transform(rows[row], ranks.begin(), [&](FeatureId id) { return features_.find(id); });
    std::ranges::sort(ranks);
  }
  const auto count = [&](std::size_t rank) { return features_.count(static_cast<Rank>(rank)); };
  places_ = Lists<Place>::filled(features_.size(), count, [&](auto visit) {
    for (std::size_t row = 0; row < size(); ++row) {
      for (std::uint32_t at = 0; at < rows_[row].size(); ++at) visit(rows_[row][at], {static_cast<RowId>(row), at});
    }
  });
}

}  // namespace gristmill::rows
