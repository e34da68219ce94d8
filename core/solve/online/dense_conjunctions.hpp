// SPDX-License-Identifier: BSD-3-Clause
// Sums of coefficients for all conjunctions of up to three of the first `size` ranks, in arrays found by arithmetic
// (see base/triangle.hpp). Integers are kept in 32 bits until one does not fit: half the memory is twice the cache.
#pragma once
#include <type_traits>
#include <vector>

#include "base/large_pages.hpp"
#include "base/triangle.hpp"
#include "solve/online/margins.hpp"

namespace gristmill::solve::online {

template <class Number>
class DenseConjunctions {
 public:
  static constexpr unsigned largest_degree = 3;

  DenseConjunctions(const kernel::PolynomialKernel& kernel, std::size_t size, std::size_t outputs);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t nbytes() const noexcept {
    return narrow_.size() * sizeof(Narrow) + wide_.size() * sizeof(Number);
  }
  [[nodiscard]] static std::size_t nbytes_for(unsigned degree, std::size_t size, std::size_t outputs) {
    return (size + block_size(degree, size)) * outputs * sizeof(Narrow);
  }

  // Forgets what has ranks from `size` on.
  void shrink(std::size_t size);

  // ranks: ascending, below size().
  void add(std::span<const rows::Rank> ranks, const Step<Number>& step);
  // Adds the weights of all conjunctions whose rarest feature is one of ranks[from..].
  void add_slices(std::span<const rows::Rank> ranks, std::size_t from, std::span<Number> out) const;

 private:
  using Narrow = std::conditional_t<std::is_same_v<Number, std::int64_t>, std::int32_t, Number>;

  void raise(std::size_t position, std::int32_t output, Number size);
  void widen();

  unsigned degree_;
  std::size_t size_;
  std::size_t outputs_;
  std::vector<Number> weights_;  // of conjunctions of 0 to 3 features
  bool is_wide_ = false;
  // The block, then the features alone; times outputs. One of them is empty.
  LargeVector<Narrow> narrow_;
  LargeVector<Number> wide_;
};

}  // namespace gristmill::solve::online
