// SPDX-License-Identifier: BSD-3-Clause
#include "rows/conjunctions.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "base/errors.hpp"
#include "rows/feature_map.hpp"

namespace gristmill {
namespace {

// The rows with their features as ascending ranks, and for each feature where it stands.
class RankedRows {
 public:
  RankedRows(Rows rows, const FeatureMap& features) : rows_(rows), ranks_(rows.ids.size()) {
    for (std::size_t at = 0; at < ranks_.size(); ++at) ranks_[at] = features.find(rows.ids[at]);
    starts_.assign(features.size() + 1, 0);
    for (Rank rank = 0; rank < features.size(); ++rank) starts_[rank + 1] = starts_[rank] + features.count(rank);
    places_.resize(ranks_.size());
    std::vector<std::size_t> next = starts_;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      std::ranges::sort(row_ranks(row));
      for (std::size_t at = 0; at < rows.length(row); ++at) places_[next[row_ranks(row)[at]]++] = {row, at};
    }
  }

  // visit(the more frequent features that stand beside this one) for each row that has it.
  template <class Visit>
  void for_each_company(Rank rank, Visit visit) {
    for (std::size_t i = starts_[rank]; i < starts_[rank + 1]; ++i) {
      visit(row_ranks(places_[i].row).first(places_[i].at));
    }
  }

 private:
  struct Place {
    std::size_t row;
    std::size_t at;
  };

  [[nodiscard]] std::span<Rank> row_ranks(std::size_t row) {
    return std::span(ranks_).subspan(static_cast<std::size_t>(rows_.offsets[row]), rows_.length(row));
  }

  Rows rows_;
  std::vector<Rank> ranks_;
  std::vector<std::size_t> starts_;
  std::vector<Place> places_;
};

// Distinct keys of a long list, in bounded memory as long as few of them are distinct.
class DistinctKeys {
 public:
  void clear() { keys_.clear(), settled_ = 0; }
  void add(std::uint64_t key) {
    keys_.push_back(key);
    if (keys_.size() > 2 * settled_ + (std::size_t{1} << 20)) settle();
  }
  std::size_t count() {
    settle();
    return settled_;
  }

 private:
  void settle() {
    std::ranges::sort(keys_);
    keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
    settled_ = keys_.size();
  }

  std::vector<std::uint64_t> keys_;
  std::size_t settled_ = 0;
};

void add_singles(std::span<const Rank> company, DistinctKeys& keys) {
  for (const Rank rank : company) keys.add(rank);
}

void add_pairs(std::span<const Rank> company, DistinctKeys& keys) {
  for (std::size_t j = 1; j < company.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) keys.add((std::uint64_t{company[j]} << 32) | company[i]);
  }
}

}  // namespace

std::size_t count_conjunctions(Rows rows, unsigned size, Observer& observer) {
  if (size < 1 || size > 3) throw std::invalid_argument("conjunctions of 1, 2 or 3 features can be counted");
  const FeatureMap features(rows);
  if (size == 1) return features.size();
  RankedRows ranked(rows, features);
  DistinctKeys keys;
  std::size_t total = 0;
  for (Rank rank = 0; rank < features.size(); ++rank) {
    keys.clear();
    ranked.for_each_company(rank, [&](std::span<const Rank> company) {
      size == 2 ? add_singles(company, keys) : add_pairs(company, keys);
    });
    total += keys.count();
    if (!observer.advance(rank + 1, features.size())) throw Interrupted();
  }
  return total;
}

}  // namespace gristmill
