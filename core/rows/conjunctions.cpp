// SPDX-License-Identifier: BSD-3-Clause
#include "rows/conjunctions.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "base/errors.hpp"
#include "rows/ranked_rows.hpp"

namespace gristmill {
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
  const RankedRows ranked(rows);
  const std::size_t features = ranked.features().size();
  if (size == 1) return features;
  DistinctKeys keys;
  std::size_t total = 0;
  for (Rank rank = 0; rank < features; ++rank) {
    keys.clear();
    for (const RankedRows::Place place : ranked.places(rank)) {
      size == 2 ? add_singles(ranked.company(place), keys) : add_pairs(ranked.company(place), keys);
    }
    total += keys.count();
    if (!observer.advance(rank + 1, features)) throw Interrupted();
  }
  return total;
}

}  // namespace gristmill
