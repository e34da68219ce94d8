// SPDX-License-Identifier: BSD-3-Clause
#include "solve/cutting_plane/plane_qp_gram.hpp"

#include <algorithm>

namespace gristmill::solve::cutting_plane {

void PlaneGram::add(std::span<const double> column) {
  if (size_ == room_) grow();
  for (std::size_t plane = 0; plane < size_; ++plane) cells_[plane * room_ + size_] = column[plane];
  std::ranges::copy(column, cells_.begin() + static_cast<std::ptrdiff_t>(size_ * room_));
  ++size_;
}

void PlaneGram::keep(std::span<const std::uint32_t> planes) {
  for (std::size_t to = 0; to < planes.size(); ++to) {
    const double* const from = row(planes[to]);
    double* const into = cells_.data() + to * room_;
    for (std::size_t at = 0; at < planes.size(); ++at) into[at] = from[planes[at]];
  }
  size_ = planes.size();
}

void PlaneGram::grow() {
  const std::size_t room = std::max<std::size_t>(16, room_ + room_ / 2);
  std::vector<double> cells(room * room);
  for (std::size_t plane = 0; plane < size_; ++plane) std::copy_n(row(plane), size_, cells.data() + plane * room);
  cells_ = std::move(cells);
  room_ = room;
}

}  // namespace gristmill::solve::cutting_plane
