// SPDX-License-Identifier: BSD-3-Clause
#include "rows/conjunctions.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "base/errors.hpp"
#include "rows/ranked_rows.hpp"

namespace gristmill::rows {
namespace {

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

void add_singles(std::span<const Rank> more_frequent, DistinctKeys& keys) {
  for (const Rank rank : more_frequent) keys.add(rank);
}

void add_pairs(std::span<const Rank> more_frequent, DistinctKeys& keys) {
  for (std::size_t j = 1; j < more_frequent.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) keys.add((std::uint64_t{more_frequent[j]} << 32) | more_frequent[i]);
  }
}

}  // namespace

std::size_t count_conjunctions(Rows rows, unsigned size, Observer& observer) {
  if (size < 1 || size > 3) throw std::invalid_argument("conjunctions of 1, 2 or 3 features can be counted");
  const RankedRows ranked(rows);
  const std::size_t features = ranked.features().size();
  if (size == 1) return features;
  DistinctKeys keys;
  std::size_t total = 0;
  for (Rank rank = 0; rank < features; ++rank) {
    keys.clear();
    for (const RankedRows::Place place : ranked.places(rank)) {
      size == 2 ? add_singles(ranked.more_frequent(place), keys) : add_pairs(ranked.more_frequent(place), keys);
    }
    total += keys.count();
    require(observer, rank + 1, features);
  }
  return total;
}

}  // namespace gristmill::rows
