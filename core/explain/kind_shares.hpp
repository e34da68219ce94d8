// SPDX-License-Identifier: BSD-3-Clause
// What one support row gives to features against a reference row, under a kernel of sets. Players are the features that
// x or the reference has, but not both; one of the reference is there until it "comes". By symmetry there are four
// kinds of them: of x or of the reference, each in the support row or not. Of a coalition
//
//   the overlap is  common and shared + x1,          x1 = shared of x that came + shared of the reference that did not,
//   the length      common + x1 + x2,                x2 = the same of those that the support row has not,
//
// A share is a mean over random orders of what the overlap and the length make of one more or one less, or of two:
//
//   share = sum over x1, x2 of weight(x1, x2) * difference of k,
//
// and weights, how likely the coalition of those before is one of x1 and x2, depend on the numbers of players alone.
// Of j players in front j1 are shared by a hypergeometric distribution, and of these some are of x by another one, as
// of the j - j1 others (Draws). RBF kernels are products over players, of which half the kinds bring x nearer and half
// take it away: closed forms, see PowerMeans. Kernels that see the overlap alone have no use for features that the
// support row has not. Cost: RBF O(1) after O(n). Others, with t shared players and u others, some t u (sqrt t + sqrt
// u), once for all rows with as many players of each kind, and t u additions for each row.
#pragma once
#include <array>
#include <cstddef>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/stop.hpp"
#include "explain/kinds.hpp"
#include "explain/linear_kinds.hpp"
#include "explain/power_means.hpp"
#include "kernel/set_values.hpp"

namespace gristmill::explain {

// One per thread. Rows come fastest in the order of their players.
class KindGames {
 public:
  explicit KindGames(const kernel::SetValues& values) : values_(values), linear_(linear_kinds(values.kernel())) {}

  [[nodiscard]] KindShares shares(std::size_t row, const KindCounts& counts, bool pairs, Pulse& pulse);

 private:
  using Players = std::array<std::size_t, kinds>;
  // Of a value one that comes, of a pair two; a table over x1 and x2 of all others.
  struct Weights {
    std::array<Kind, 2> coming;
    std::size_t order;
    std::vector<double> table;
  };

  [[nodiscard]] KindShares of_products(const kernel::RbfKernel& kernel, std::size_t row, const KindCounts& counts);
  [[nodiscard]] KindShares of_weights(std::size_t row, const KindCounts& counts) const;
  [[nodiscard]] const PowerMeans& means(double gamma, std::size_t n);
  void weigh(const Players& players, bool pairs, Pulse& pulse);
  [[nodiscard]] static std::vector<double> weigh(const Players& others, Pulse& pulse);
  // k by x1 and x2.
  [[nodiscard]] std::vector<double> kernel_table(std::size_t row, const KindCounts& counts) const;

  const kernel::SetValues& values_;
  std::unique_ptr<LinearKinds> linear_;  // or none
  Players players_{};
  bool has_pairs_ = false;
  std::vector<Weights> weights_;                       // of these players
  std::unordered_map<std::size_t, PowerMeans> means_;  // by players
};

}  // namespace gristmill::explain
