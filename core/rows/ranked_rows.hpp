// SPDX-License-Identifier: BSD-3-Clause
// Rows with their features as ranks, most frequent first, and for each feature the places where it stands. What stands
// before a feature in a row is its more_frequent: the more frequent features of the same row. A conjunction belongs to
// its rarest feature, so more_frequent is all that ever has to be looked at.
#pragma once
#include <span>

#include "base/lists.hpp"
#include "rows/feature_map.hpp"

namespace gristmill::rows {

class RankedRows {
 public:
  struct Place {
    RowId row;
    std::uint32_t at;  // position in the row
  };

  explicit RankedRows(Rows rows);

  [[nodiscard]] const FeatureMap& features() const noexcept { return features_; }
  [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }
  [[nodiscard]] std::size_t longest() const noexcept { return longest_; }

  [[nodiscard]] std::span<const Rank> operator[](std::size_t row) const { return rows_[row]; }
  // Rows ascend.
  [[nodiscard]] std::span<const Place> places(Rank rank) const { return places_[rank]; }
  [[nodiscard]] std::span<const Rank> more_frequent(Place place) const { return (*this)[place.row].first(place.at); }

 private:
  FeatureMap features_;
  std::size_t longest_;
  Lists<Rank> rows_;
  Lists<Place> places_;  // by rank
};

}  // namespace gristmill::rows
