// SPDX-License-Identifier: BSD-3-Clause
// How the bins of a column resemble one another: a positive semidefinite matrix G over bins, kept as a factor L with
// G = L L', bins x features. A table is L V for weights V, and its norm in the space of the kernel is at most |V|.
//
//   unordered bins              1 on the diagonal, nothing beside it
//   ordered bins i, j of n      onehot * [i = j] + thermometer * (1 - |i - j| / (n - 1))
//   of a monotone column        thermometer * min(i, j) / (n - 1), increasing, or mirrored
//
// The thermometer alone is a constant and a feature for each step, + above it and - below it,
//
//   1 - |i - j| / (n - 1) = 1/2 + 1 / (2 (n - 1)) * sum over steps t of side_t(i) side_t(j)
//
// so products are prefix sums, linear in the bins. Other factors are matrices.
//
// A monotone column has a feature for each step between ordered bins, [i > t] or [i <= t], whose weights must not be
// negative. What stands beside it in a pair must be a feature that is never negative: one-hot and both sides of the
// thermometer one by one (`nonnegative`), the same matrix with more features.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gristmill::solve::tables {

struct Similarity {
  std::uint32_t bins = 1;
  std::uint32_t ordered = 0;  // the first so many bins are in their order
  double onehot = 1;
  double thermometer = 0;
  int monotone = 0;  // 1 increasing, -1 decreasing
  bool nonnegative = false;
};

class Factor {
 public:
  // Refuses what is no similarity with std::invalid_argument.
  explicit Factor(const Similarity& similarity);

  [[nodiscard]] std::size_t bins() const noexcept { return bins_; }
  [[nodiscard]] std::size_t features() const noexcept { return features_; }
  // Of features: 1 where weights must not be negative.
  [[nodiscard]] std::span<const std::uint8_t> steps() const noexcept { return steps_; }

  // Along the middle axis of a block [outer][features or bins][inner]: out = L in, and out = L' in.
  void to_bins(const double* in, double* out, std::size_t outer, std::size_t inner) const;
  void to_features(const double* in, double* out, std::size_t outer, std::size_t inner) const;

 private:
  void set_diagonal(const Similarity& similarity);
  void set_sides(const Similarity& similarity);
  void set_cholesky(const Similarity& similarity);
  void set_features(const Similarity& similarity);
  void append_column(const std::vector<double>& values, bool step);
  void append_thermometer(const Similarity& similarity);
  void append_steps(const Similarity& similarity);
  void append_onehot(std::size_t first, std::size_t last, double value);
  void transpose();
  template <class Apply>
  void by_sides(const double* in, double* out, std::size_t outer, std::size_t inner, const Apply& apply) const;
  void scale(const double* in, double* out, std::size_t outer, std::size_t inner) const;

  std::size_t bins_;
  std::size_t features_ = 0;
  std::vector<double> diagonal_;    // if not empty: all there is
  std::size_t sided_ = 0;           // if not 0: so many ordered bins by prefix sums, and ones for the others
  double level_ = 0;                // of sides: the constant feature,
  double side_ = 0;                 // and the size of each of the others
  std::vector<double> by_bin_;      // [bin][feature]
  std::vector<double> by_feature_;  // [feature][bin]
  std::vector<std::uint8_t> steps_;
};

}  // namespace gristmill::solve::tables
