// SPDX-License-Identifier: BSD-3-Clause
// Rows taken for conjunctions: which of them hold in x, which is to say, all of whose features does x have?
//
// A conjunction is at home with its rarest feature, so x looks at those that are at home with its own features and
// checks the rest of each. At home conjunctions are sorted by their next rarest feature, then by the one after that:
// those that share their rarest features stand together, which is a tree of them.
//
// Cost of a query: the conjunctions at home with the features of x. Memory: 4 bytes a feature and 12 a conjunction.
#pragma once
#include <span>
#include <vector>

#include "base/lists.hpp"
#include "rows/feature_map.hpp"

namespace gristmill::rows {

class ConjunctionIndex {
 public:
  using Place = std::size_t;  // of a conjunction, in the order of the index

  // Conjunctions that have their `depth` rarest features in common. Those with no other feature come first.
  struct Branch {
    Place begin = 0;
    Place end = 0;
    unsigned depth = 1;

    [[nodiscard]] std::size_t size() const noexcept { return end - begin; }
  };

  explicit ConjunctionIndex(Rows rows);

  [[nodiscard]] const FeatureMap& features() const noexcept { return features_; }
  [[nodiscard]] std::size_t size() const noexcept { return numbers_.size(); }  // conjunctions that have a feature
  [[nodiscard]] std::size_t longest() const noexcept { return longest_; }
  [[nodiscard]] std::span<const RowId> empty() const noexcept { return empty_; }  // rows without a feature
  [[nodiscard]] std::size_t nbytes() const noexcept;

  [[nodiscard]] Branch at_home(Rank rank) const { return {starts_[rank], starts_[rank + 1], 1}; }
  [[nodiscard]] RowId number(Place place) const { return numbers_[place]; }
  // What a conjunction has besides its rarest feature, most frequent first.
  [[nodiscard]] std::span<const Rank> others(Place place) const { return others_[place]; }
  [[nodiscard]] bool ends_at(Place place, unsigned depth) const { return others_[place].size() + 1 == depth; }
  // Of a branch: where those with another feature begin.
  [[nodiscard]] Place first_longer(const Branch& branch) const {
    Place place = branch.begin;
    while (place < branch.end && ends_at(place, branch.depth)) ++place;
    return place;
  }
  // The next rarest feature of a conjunction that is longer than that.
  [[nodiscard]] Rank next(Place place, unsigned depth) const {
    const std::span<const Rank> all = others(place);
    return all[all.size() - depth];
  }

  // visit(place) for the conjunctions that hold in x. known: the ranks of x, in any order; marked: by rank, 1 for
  // those.
  template <class Visit>
  void for_each_held(std::span<const Rank> known, std::span<const std::uint8_t> marked, Visit visit) const {
    for (const Rank rank : known) {
      for (Place place = starts_[rank]; place < starts_[rank + 1]; ++place) {
        if (holds(place, marked)) visit(place);
      }
    }
  }

 private:
  // The rarest feature is the likeliest to be missing.
  [[nodiscard]] bool holds(Place place, std::span<const std::uint8_t> marked) const {
    const std::span<const Rank> all = others(place);
    for (std::size_t at = all.size(); at-- > 0;) {
      if (marked[all[at]] == 0) return false;
    }
    return true;
  }

  FeatureMap features_;
  std::size_t longest_;
  std::vector<RowId> empty_;
  std::vector<Place> starts_;  // by rank, and the end
  std::vector<RowId> numbers_;
  Lists<Rank> others_;
};

// The branches of a branch, by the next feature.
class BranchSplit {
 public:
  explicit BranchSplit(std::size_t) {}

  void make(const ConjunctionIndex& index, const ConjunctionIndex::Branch& branch);

  [[nodiscard]] std::span<const Rank> features() const noexcept { return features_; }  // ascending
  [[nodiscard]] ConjunctionIndex::Branch places(std::size_t at) const { return {starts_[at], starts_[at + 1], depth_}; }

 private:
  std::vector<Rank> features_;
  std::vector<ConjunctionIndex::Place> starts_;
  unsigned depth_ = 1;
};

// How often the most frequent conjunction of each number of features occurs: 0, 1, ..., the longest. Cost: a hash a
// row.
[[nodiscard]] std::vector<std::size_t> most_equal(Rows rows);

}  // namespace gristmill::rows
