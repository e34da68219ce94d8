// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/dense_rows.hpp"

#include <algorithm>
#include <numeric>

#include "base/lanes.hpp"
#include "base/variants.hpp"

namespace gristmill::kernel {
namespace {

constexpr std::size_t half = DenseRows::panel_rows / 2;

// Products of some queries with the rows of a panel, kept in registers.
template <std::size_t Queries>
GRISTMILL_INLINE void multiply_panel(const double* panel, const double* queries, std::size_t features, double* out,
                                     std::size_t stride) {
  Lanes4d left[Queries] = {};
  Lanes4d right[Queries] = {};
  for (std::size_t feature = 0; feature < features; ++feature, panel += DenseRows::panel_rows) {
    const lanes::Loose4d& first = *reinterpret_cast<const lanes::Loose4d*>(panel);
    const lanes::Loose4d& second = *reinterpret_cast<const lanes::Loose4d*>(panel + half);
    for (std::size_t query = 0; query < Queries; ++query) {
      const double value = queries[query * features + feature];
      left[query] += first * value;
      right[query] += second * value;
    }
  }
  for (std::size_t query = 0; query < Queries; ++query) {
    store(left[query], out + query * stride);
    store(right[query], out + query * stride + half);
  }
}

GRISTMILL_VARIANTS void multiply_all(const double* panel, std::size_t panels, const double* queries, std::size_t count,
                                     std::size_t features, double* out, std::size_t stride) {
  for (std::size_t at = 0; at < panels; ++at, panel += features * DenseRows::panel_rows, out += DenseRows::panel_rows) {
    std::size_t query = 0;
    for (; query + 4 <= count; query += 4) {
      multiply_panel<4>(panel, queries + query * features, features, out + query * stride, stride);
    }
    for (; query < count; ++query) {
      multiply_panel<1>(panel, queries + query * features, features, out + query * stride, stride);
    }
  }
}

std::vector<std::size_t> places_of(const rows::FeatureMap& map) {
  std::vector<std::size_t> ranks(map.size());
  std::iota(ranks.begin(), ranks.end(), std::size_t{0});
  std::ranges::sort(ranks, {}, [&](std::size_t rank) { return map.ids()[rank]; });
  std::vector<std::size_t> places(map.size());
  for (std::size_t place = 0; place < ranks.size(); ++place) places[ranks[place]] = place;
  return places;
}

}  // namespace

DenseRows::DenseRows(rows::RealRows rows) : size_(rows.rows.size()), map_(rows.rows), places_(places_of(map_)) {
  values_.assign(panels() * features() * panel_rows, 0.0);
  for (std::size_t row = 0; row < size_; ++row) {
    double* first = values_.data() + row / panel_rows * features() * panel_rows + row % panel_rows;
    const rows::Row ids = rows.rows[row];
    for (std::size_t at = 0; at < ids.size(); ++at) {
      first[places_[map_.find(ids[at])] * panel_rows] = rows.values.empty() ? 1.0 : rows.values_of(row)[at];
    }
  }
}

void DenseRows::spread(rows::RealRows rows, std::size_t x, std::span<double> out) const {
  const rows::Row ids = rows.rows[x];
  for (std::size_t at = 0; at < ids.size(); ++at) {
    const rows::Rank rank = map_.find(ids[at]);
    if (rank != rows::FeatureMap::unseen) out[places_[rank]] = rows.values.empty() ? 1.0 : rows.values_of(x)[at];
  }
}

void DenseRows::spread(std::size_t row, std::span<double> out) const {
  const double* first = values_.data() + row / panel_rows * features() * panel_rows + row % panel_rows;
  for (std::size_t feature = 0; feature < features(); ++feature) out[feature] = first[feature * panel_rows];
}

void DenseRows::multiply(std::span<const double> queries, std::size_t first_panel, std::size_t end_panel, double* out,
                         std::size_t stride) const {
  const double* panel = values_.data() + first_panel * features() * panel_rows;
  multiply_all(panel, end_panel - first_panel, queries.data(), queries.size() / features(), features(), out, stride);
}

std::size_t DenseRows::nbytes() const noexcept {
  return map_.nbytes() + places_.size() * sizeof(std::size_t) + values_.size() * sizeof(double);
}

}  // namespace gristmill::kernel
