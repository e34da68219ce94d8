// SPDX-License-Identifier: BSD-3-Clause
// What limited-memory BFGS remembers (Nocedal 1980): the last steps and what they changed of the gradient. Sums are
// made of blocks of a fixed size, in their order, so threads change no bit.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "solve/tables/workers.hpp"

namespace gristmill::solve::tables {

[[nodiscard]] double dot(std::span<const double> a, std::span<const double> b, Workers& workers);
// a += factor * b
void add_scaled(std::span<double> a, double factor, std::span<const double> b, Workers& workers);

using Product = double (*)(std::span<const double>, std::span<const double>, Workers&);

constexpr double line_share = 1e-3;  // of the gain: as precise as a search along a line need be

class Memory {
 public:
  // Of vectors with this product.
  explicit Memory(Product product = dot) : product_(product) {}

  void clear() noexcept;
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  // A step, and the gradient after it less that before; forgotten if it shows no curvature.
  void add(std::span<const double> step, std::span<const double> change, Workers& workers);
  // vector becomes H vector, H the approximate inverse of the Hessian.
  void multiply(std::span<double> vector, Workers& workers) const;

 private:
  struct Pair {
    std::vector<double> step;
    std::vector<double> change;
    double product = 0;  // of both
  };

  Product product_;
  std::size_t count_ = 0;  // pairs remembered
  std::size_t next_ = 0;   // where the next one goes
  double scale_ = 1;
  std::vector<Pair> pairs_;
};

}  // namespace gristmill::solve::tables
