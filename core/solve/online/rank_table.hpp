// SPDX-License-Identifier: BSD-3-Clause
// Ranks for features as they come: those of the first rows by frequency or in order of appearance, later ones behind.
#pragma once
#include <unordered_map>
#include <vector>

#include "rows/rows.hpp"
#include "solve/online/log.hpp"

namespace gristmill::solve::online {

class RankTable {
 public:
  // Ranks the features of these rows by frequency; the table must be empty.
  void rank_by_frequency(rows::Rows rows);

  // A feature that is not in the table gets the next rank.
  void append(FeatureId id) { rank_of(id); }

  // The row as ascending ranks; unknown features are appended to the table.
  void translate(rows::Row ids, std::vector<rows::Rank>& ranks);

  // The same without features that are not in the table.
  void translate_known(rows::Row ids, std::vector<rows::Rank>& ranks) const;

  [[nodiscard]] std::size_t size() const noexcept { return ids_.size(); }
  [[nodiscard]] const std::vector<FeatureId>& ids() const noexcept { return ids_; }  // by rank

 private:
  static constexpr std::size_t table_limit = std::size_t{1} << 22;

  rows::Rank rank_of(FeatureId id);

  std::vector<FeatureId> ids_;
  std::vector<rows::Rank> table_;                        // by id, for small ids
  std::unordered_map<FeatureId, rows::Rank> large_ids_;  // the others
};

}  // namespace gristmill::solve::online
