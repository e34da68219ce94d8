// SPDX-License-Identifier: BSD-3-Clause
// What one fragment adds up to for every output, tree by tree.
#pragma once
#include <cmath>
#include <utility>

#include "mine/fragments/heaviest_fragments.hpp"

namespace gristmill::mine::fragments {

class OutputSums {
 public:
  struct Sum {
    double weight = 0;      // of embeddings, times coefficients
    double positive = 0;    // room of embeddings, times coefficients above 0
    double negative = 0;    // the same below 0, without the sign
    double embeddings = 0;  // in all trees with a coefficient
    std::uint64_t support = 0;
  };

  explicit OutputSums(const TreeCoefficients& coef) : coef_(coef), sums_(coef.n_outputs) {}

  void add(std::uint32_t tree, double embeddings, double weight, double room) {
    const auto end = static_cast<std::size_t>(coef_.starts[tree + std::size_t{1}]);
    for (auto at = static_cast<std::size_t>(coef_.starts[tree]); at < end; ++at) {
      const auto output = static_cast<std::uint32_t>(coef_.outputs[at]);
      const double value = coef_.values[at];
      Sum& sum = sums_[output];
      if (sum.support++ == 0) touched_.push_back(output);
      sum.weight += value * weight;
      sum.embeddings += embeddings;
      (value > 0 ? sum.positive : sum.negative) += std::abs(value) * room;
    }
  }

  // visit(output, sum) for every output that was added to; then starts anew.
  template <class Visit>
  void finish(Visit visit) {
    for (const std::uint32_t output : touched_) visit(output, std::exchange(sums_[output], {}));
    touched_.clear();
  }

 private:
  const TreeCoefficients& coef_;
  std::vector<Sum> sums_;
  std::vector<std::uint32_t> touched_;
};

}  // namespace gristmill::mine::fragments
