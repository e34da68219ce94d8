// SPDX-License-Identifier: BSD-3-Clause
// The Gram matrix of planes that come one at a time: whole rows with room to grow, so that a product with few planes
// reads few contiguous rows.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gristmill::solve::cutting_plane {

class PlaneGram {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const double* row(std::size_t plane) const { return cells_.data() + plane * room_; }

  // With the planes so far, then with itself.
  void add(std::span<const double> column);
  // Ascending.
  void keep(std::span<const std::uint32_t> planes);

 private:
  void grow();

  std::size_t size_ = 0;
  std::size_t room_ = 0;  // entries per row
  std::vector<double> cells_;
};

}  // namespace gristmill::solve::cutting_plane
