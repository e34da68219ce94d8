// SPDX-License-Identifier: BSD-3-Clause
#include "rows/conjunction_index.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "base/sequence_table.hpp"

namespace gristmill::rows {
namespace {

// The rows as ranks, the most frequent first.
Lists<Rank> ranks_of_rows(Rows rows, const FeatureMap& features) {
  auto lists = Lists<Rank>::of_lengths(rows.size(), [&](std::size_t row) { return rows.length(row); });
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::span<Rank> ranks = lists[row];
    std::ranges::transform(rows[row], ranks.begin(), [&](FeatureId id) { return features.find(id); });
    std::ranges::sort(ranks);
  }
  return lists;
}

// From the rarest feature on; what ends comes before what goes on, equal ones as they came.
bool comes_before(const Lists<Rank>& ranks, RowId one, RowId other) {
  const std::span<const Rank> left = ranks[one];
  const std::span<const Rank> right = ranks[other];
  return std::lexicographical_compare(left.rbegin(), left.rend(), right.rbegin(), right.rend());
}

}  // namespace

ConjunctionIndex::ConjunctionIndex(Rows rows) : features_(rows), longest_(rows.longest()) {
  if (rows.size() > std::numeric_limits<RowId>::max()) throw std::invalid_argument("more than 2^32 rows");
  const Lists<Rank> ranks = ranks_of_rows(rows, features_);
  for (RowId row = 0; row < rows.size(); ++row) {
    if (ranks[row].empty()) empty_.push_back(row);
  }
  auto homes = Lists<RowId>::grouped(
      features_.size(), rows.size(),
      [&](std::size_t row) { return ranks[row].empty() ? features_.size() : std::size_t{ranks[row].back()}; },
      [](std::size_t row) { return static_cast<RowId>(row); });
  for (Rank rank = 0; rank < features_.size(); ++rank) {
    std::ranges::stable_sort(homes[rank], [&](RowId one, RowId other) { return comes_before(ranks, one, other); });
  }
  starts_.assign(homes.starts().begin(), homes.starts().end());
  numbers_.assign(homes.items().begin(), homes.items().end());
  others_.reserve(numbers_.size(), ranks.items().size() - numbers_.size());
  for (const RowId row : numbers_) others_.add(ranks[row].first(ranks[row].size() - 1));
}

std::size_t ConjunctionIndex::nbytes() const noexcept {
  return features_.nbytes() + (empty_.size() + numbers_.size()) * sizeof(RowId) + starts_.size() * sizeof(Place) +
         others_.nbytes();
}

void BranchSplit::make(const ConjunctionIndex& index, const ConjunctionIndex::Branch& branch) {
  features_.clear();
  starts_.clear();
  depth_ = branch.depth + 1;
  for (ConjunctionIndex::Place place = index.first_longer(branch); place < branch.end; ++place) {
    const Rank rank = index.next(place, branch.depth);
    if (!features_.empty() && features_.back() == rank) continue;
    features_.push_back(rank);
    starts_.push_back(place);
  }
  starts_.push_back(branch.end);
}

std::vector<std::size_t> most_equal(Rows rows) {
  std::vector<std::size_t> most(rows.longest() + 1, 0);
  SequenceTable<FeatureId> seen;
  std::vector<std::size_t> times;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto id = seen.intern(rows[row]);
    if (id == times.size()) times.push_back(0);
    most[rows.length(row)] = std::max(most[rows.length(row)], ++times[id]);
  }
  return most;
}

}  // namespace gristmill::rows
