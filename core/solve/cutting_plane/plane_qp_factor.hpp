// SPDX-License-Identifier: BSD-3-Clause
// The Cholesky factor LL' of a matrix whose rows come and go: appended at the end, removed anywhere by Givens
// rotations.
//
// Cost: append, remove and the solutions |P|^2 each for |P| rows. Memory: the triangle.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace gristmill::solve::cutting_plane {

class PlaneFactor {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  void clear();

  // A row: the entries with the rows so far, then the diagonal. A square of a pivot below `floor` is raised to it, so
  // that a dependent row gives a stiff factor instead of none.
  void append(std::span<const double> row, double floor);
  void remove(std::size_t at);

  // In place: L^-1 y and L'^-1 y, size() entries.
  void forward(double* y) const;
  void backward(double* y) const;

 private:
  [[nodiscard]] static std::size_t start(std::size_t row) { return row * (row + 1) / 2; }

  std::size_t size_ = 0;
  std::vector<double> cells_;  // row after row, the diagonal last
  std::vector<double> cosines_;
  std::vector<double> sines_;
};

// The sum of products, in an order that does not wait for each addition.
[[nodiscard]] double dot(const double* a, const double* b, std::size_t size);
void subtract_scaled(double* out, const double* values, double factor, std::size_t size);

}  // namespace gristmill::solve::cutting_plane
