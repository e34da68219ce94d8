// SPDX-License-Identifier: BSD-3-Clause
// Real rows with few zeros, kept for dot products with all of them: in panels of eight rows, feature by feature, so
// that the loops are those of a matrix product.
//
// Each dot product is summed over ascending features, one after the other. So its bits are those of a walk over the
// entries of both rows, and depend neither on the rows beside it nor on the instruction set.
// Cost of a product: an eighth of a vector step per feature. Memory: 8 bytes per row and feature, zeros included.
#pragma once
#include <span>
#include <vector>

#include "rows/feature_map.hpp"
#include "rows/rows.hpp"

namespace gristmill::kernel {

class DenseRows {
 public:
  static constexpr std::size_t panel_rows = 8;
  static constexpr std::size_t zeros_for_each = 8;  // entry, at most

  // Whether zeros are so few that multiplying them too is faster than stepping over them.
  [[nodiscard]] static bool are_dense(rows::Rows rows, std::size_t features) noexcept {
    return rows.size() >= panel_rows && features > 0 && zeros_for_each * rows.ids.size() >= rows.size() * features;
  }

  // No values: all are 1.
  explicit DenseRows(rows::RealRows rows);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t panels() const noexcept { return (size_ + panel_rows - 1) / panel_rows; }
  [[nodiscard]] std::size_t padded_size() const noexcept { return panels() * panel_rows; }
  [[nodiscard]] std::size_t features() const noexcept { return places_.size(); }
  [[nodiscard]] std::size_t nbytes() const noexcept;

  // Row x of others in an array of features() zeros; what these rows do not know is left out.
  void spread(rows::RealRows rows, std::size_t x, std::span<double> out) const;
  // One of the rows themselves as features() values.
  void spread(std::size_t row, std::span<double> out) const;

  // out[q * stride + row - first_panel * panel_rows] = <query q, row> for the rows of these panels, those included that
  // fill up the last. queries: one after the other.
  void multiply(std::span<const double> queries, std::size_t first_panel, std::size_t end_panel, double* out,
                std::size_t stride) const;

 private:
  std::size_t size_;
  rows::FeatureMap map_;
  std::vector<std::size_t> places_;  // by rank: the place of the feature among all, ascending
  std::vector<double> values_;       // panels x features x panel_rows
};

}  // namespace gristmill::kernel
