// SPDX-License-Identifier: BSD-3-Clause
// Sums of coefficients for all conjunctions of up to three of the first `size` ranks, in arrays found by arithmetic.
// The layout of pairs and triples is that of the scorers' block (base/triangle.hpp).
#pragma once
#include <vector>

#include "base/triangle.hpp"
#include "solve/online/margins.hpp"

namespace gristmill {

template <class Number>
class DenseConjunctions {
 public:
  static constexpr unsigned largest_degree = 3;

  DenseConjunctions(const PolynomialKernel& kernel, std::size_t size, std::size_t outputs);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t nbytes() const noexcept { return (singles_.size() + block_.size()) * sizeof(Number); }
  [[nodiscard]] static std::size_t entries_for(unsigned degree, std::size_t size);

  // Forgets what has ranks from `size` on.
  void shrink(std::size_t size);

  // ranks: ascending, below size().
  void add(std::span<const Rank> ranks, const Step<Number>& step);
  // Adds the weights of all conjunctions whose rarest feature is one of ranks[from..].
  void add_slices(std::span<const Rank> ranks, std::size_t from, std::span<Number> out) const;

 private:
  unsigned degree_;
  std::size_t size_;
  std::size_t outputs_;
  std::vector<Number> weights_;
  std::vector<Number> singles_;  // ranks x outputs
  std::vector<Number> block_;    // positions of the block x outputs
};

}  // namespace gristmill
