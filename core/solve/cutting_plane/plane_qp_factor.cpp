// SPDX-License-Identifier: BSD-3-Clause
#include "solve/cutting_plane/plane_qp_factor.hpp"

#include <algorithm>
#include <cmath>

#include "base/variants.hpp"

namespace gristmill::solve::cutting_plane {

double dot(const double* a, const double* b, std::size_t size) {
  double sums[4] = {0, 0, 0, 0};
  std::size_t at = 0;
  for (; at + 4 <= size; at += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += a[at + lane] * b[at + lane];
  }
  double rest = 0;
  for (; at < size; ++at) rest += a[at] * b[at];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + rest;
}

GRISTMILL_VARIANTS void subtract_scaled(double* out, const double* values, double factor, std::size_t size) {
  for (std::size_t at = 0; at < size; ++at) out[at] -= factor * values[at];
}

void PlaneFactor::clear() {
  size_ = 0;
  cells_.clear();
}

void PlaneFactor::append(std::span<const double> row, double floor) {
  cells_.insert(cells_.end(), row.begin(), row.end());
  double* const last = cells_.data() + start(size_);
  forward(last);
  last[size_] = std::sqrt(std::max(last[size_] - dot(last, last, size_), floor));
  ++size_;
}

// Without row `at` each row below reaches one beyond the diagonal; rotations of neighbouring columns bring it back.
void PlaneFactor::remove(std::size_t at) {
  cosines_.resize(size_);
  sines_.resize(size_);
  for (std::size_t row = at + 1; row < size_; ++row) {
    double* const from = cells_.data() + start(row);
    for (std::size_t column = at; column + 1 < row; ++column) {
      const double left = from[column];
      const double right = from[column + 1];
      from[column] = cosines_[column] * left + sines_[column] * right;
      from[column + 1] = cosines_[column] * right - sines_[column] * left;
    }
    const double left = from[row - 1];
    const double right = from[row];
    const double length = std::sqrt(left * left + right * right);
    cosines_[row - 1] = left / length;
    sines_[row - 1] = right / length;
    from[row - 1] = length;
    std::copy_n(from, row, cells_.data() + start(row - 1));
  }
  --size_;
  cells_.resize(start(size_));
}

void PlaneFactor::forward(double* y) const {
  const double* row = cells_.data();
  for (std::size_t at = 0; at < size_; row += ++at) y[at] = (y[at] - dot(row, y, at)) / row[at];
}

void PlaneFactor::backward(double* y) const {
  for (std::size_t at = size_; at-- > 0;) {
    const double* const row = cells_.data() + start(at);
    y[at] /= row[at];
    subtract_scaled(y, row, y[at], at);
  }
}

}  // namespace gristmill::solve::cutting_plane
