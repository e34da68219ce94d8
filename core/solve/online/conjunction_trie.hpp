// SPDX-License-Identifier: BSD-3-Clause
// Sums of coefficients over the steps whose rows hold a conjunction, for all conjunctions of up to `degree` features,
// kept up to date step by step. Keys go from the rarest feature to more frequent ones (the paper's section 3.4).
#pragma once
#include <vector>

#include "base/edge_map.hpp"
#include "solve/online/margins.hpp"

namespace gristmill::solve::online {

template <class Number>
class ConjunctionTrie {
 public:
  ConjunctionTrie(const kernel::PolynomialKernel& kernel, std::size_t outputs);

  // All conjunctions of these features, which are part of the step's row, that have the last one.
  void add(std::span<const rows::Rank> ranks, const Step<Number>& step);

  // Adds the slice of the last of these features (docs/formulas.md B2 (5)): the weights of the conjunctions that have
  // it.
  void add_slice(std::span<const rows::Rank> ranks, std::span<Number> out);

  [[nodiscard]] std::size_t nbytes() const noexcept { return edges_.nbytes() + sums_.size() * sizeof(Number); }

 private:
  void add_below(EdgeMap::Node node, std::span<const rows::Rank> ranks, unsigned size, const Step<Number>& step);
  void collect(EdgeMap::Node node, std::span<const rows::Rank> ranks, unsigned size);
  [[nodiscard]] std::span<Number> sums(EdgeMap::Node node) {
    return std::span(sums_).subspan(node * outputs_, outputs_);
  }

  unsigned degree_;
  std::size_t outputs_;
  std::vector<Number> weights_;  // by size of the conjunction
  EdgeMap edges_;
  std::vector<Number> sums_;   // nodes x outputs
  std::vector<Number> found_;  // sizes x outputs
};

}  // namespace gristmill::solve::online
