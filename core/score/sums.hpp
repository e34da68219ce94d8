// SPDX-License-Identifier: BSD-3-Clause
// Small pieces that scorers share.
#pragma once
#include <array>
#include <span>
#include <vector>

#include "rows/feature_map.hpp"

namespace gristmill::score {

inline void add_to(std::span<double> out, std::span<const double> terms) {
  for (std::size_t o = 0; o < out.size(); ++o) out[o] += terms[o];
}

[[nodiscard]] inline std::vector<rows::Rank> ranks_of(const rows::FeatureMap& features,
                                                      std::span<const FeatureId> ids) {
  std::vector<rows::Rank> ranks(ids.size());
  for (std::size_t at = 0; at < ids.size(); ++at) ranks[at] = features.find(ids[at]);
  return ranks;
}

[[nodiscard]] inline std::span<const rows::Rank> row_of(rows::Rows rows, std::span<const rows::Rank> ranks,
                                                        std::size_t row) {
  return ranks.subspan(static_cast<std::size_t>(rows.offsets[row]), rows.length(row));
}

// visit(rank, position in x) for the features of x that the support rows know.
template <class Visit>
void for_each_known(const rows::FeatureMap& features, rows::Row x, Visit visit) {
  for (std::size_t at = 0; at < x.size(); ++at) {
    const rows::Rank rank = features.find(x[at]);
    if (rank != rows::FeatureMap::unseen) visit(rank, at);
  }
}

// sum of values in eight lanes, so that additions need not wait for one another.
template <class Value>
double sum_in_lanes(std::size_t size, Value value) {
  constexpr std::size_t lanes = 8;
  std::array<double, lanes> sums{};
  std::size_t row = 0;
  for (; row + lanes <= size; row += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += value(row + lane);
  }
  for (std::size_t lane = 0; row < size; ++row, ++lane) sums[lane] += value(row);
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

}  // namespace gristmill::score
