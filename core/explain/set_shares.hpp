// SPDX-License-Identifier: BSD-3-Clause
// What one support row gives to the features of an example under a kernel of sets, where an absent feature is missing
// from the example. By symmetry there are two kinds of features, those that the row has (m of them) and those that it
// has not (u = n - m): k of a subset depends on how many of either it has. So there are two values and three
// interactions, means over random orders of what a feature or a pair of them adds when it comes:
//
//   in, out           the value of a feature that the row has, or has not           m in + u out = k(x, s) - k(empty,
//   s) ii, io, oo        the interaction of two features, of which the row has both, one or none
//
// Rows of one length s that share equally many features give the same, so there are tables by length and overlap. How
// a mean comes about depends on the kernel; g(p, q) is k of p features that the row has and q that it has not:
//
//   RBF           g = t^(s - p + q), a product over features: one integral, see PowerMeans. O(1) an entry.
//   Tanimoto      g = p / (q + s): the place of an unshared feature among its like is uniform, and p before it is
//                 (q + 1) m / (u + 1) on average. Sums over q, O(1) an entry.
//   cosine, Dice  g = p h(p + q): p is m / n of a prefix on average. Sums over the size of the prefix, O(1) an entry.
//   given         sums over prefixes, see DrawnShares. O(n m) an entry, and only those that are asked for.
//
// Sums are of numbers of one sign but for given kernels, whose differences are as good as the numbers.
#pragma once
#include <cstddef>
#include <span>
#include <unordered_map>
#include <vector>

#include "kernel/set_values.hpp"

namespace gristmill::explain {

// By length of the support row (its place among the different ones) and overlap.
struct ShareTable {
  std::size_t stride = 0;
  // A feature gets `out` of every row and `more` = in - out of each that has it.
  std::vector<double> out;
  std::vector<double> more;
  // A pair gets `none` = oo of every row, `one` = io - oo of a row for each of its two that the row has, and of a row
  // that has both `both` = ii - 2 io + oo as well. Empty unless asked for.
  std::vector<double> none;
  std::vector<double> one;
  std::vector<double> both;
  std::vector<char> known;  // entries of given kernels; empty: all

  [[nodiscard]] std::size_t at(std::size_t place, std::size_t overlap) const { return place * stride + overlap; }
  [[nodiscard]] std::size_t size() const noexcept { return out.size(); }
};

class SetShares {
 public:
  // Tables by the number of features of the example.
  using Memo = std::unordered_map<std::size_t, ShareTable>;

  // Not of kernels that depend on the overlap alone.
  explicit SetShares(const kernel::SetValues& values);

  // The table for examples of n features, where at least the entries of `asked`, places and overlaps, are right.
  struct Entry {
    std::size_t place;
    std::size_t overlap;
  };
  [[nodiscard]] const ShareTable& table(std::size_t n, bool pairs, std::span<const Entry> asked, Memo& memo) const;

  // Whether entries must be asked for.
  [[nodiscard]] bool is_asked() const noexcept { return is_given_; }

 private:
  static constexpr std::size_t most_remembered = std::size_t{1} << 20;  // entries of tables

  void fill(std::size_t n, bool pairs, ShareTable& table) const;
  void fill_asked(std::size_t n, bool pairs, std::span<const Entry> asked, ShareTable& table) const;

  const kernel::SetValues& values_;
  bool is_given_;
  std::size_t longest_;
};

}  // namespace gristmill::explain
