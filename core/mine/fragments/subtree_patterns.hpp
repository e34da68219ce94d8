// SPDX-License-Identifier: BSD-3-Clause
// A data set of trees converted for a tree kernel (Kazama and Torisawa 2005): patterns of the fragments that trees
// share, and the malicious pairs, which share too much to be told fragment by fragment. For all other pairs
//
//   K(s, t) = sum over patterns p of W(p) * (how often s has p) * (how often t has p),
//   W(p) = sum over sizes of (fragments of that size) * decay^size.
#pragma once
#include <memory>

#include "base/lists.hpp"
#include "base/observer.hpp"
#include "forest/subtree_index.hpp"
#include "mine/fragments/mining.hpp"
#include "mine/fragments/pair_set.hpp"
#include "mine/fragments/pattern_table.hpp"

namespace gristmill::mine::fragments {

class SubtreePatterns {
 public:
  // No two trees of the index may be equal; the kernel must support it. Throws PatternsTooLargeError. The number of
  // threads changes nothing but the number of fragments looked at.
  SubtreePatterns(const kernel::trees::TreeKernel& kernel, const forest::SubtreeIndex& index,
                  const MiningOptions& options, std::size_t threads, Observer& observer);

  [[nodiscard]] const kernel::trees::TreeKernel& kernel() const noexcept { return kernel_; }
  [[nodiscard]] std::size_t trees() const noexcept { return malicious_->trees(); }
  [[nodiscard]] std::size_t size() const noexcept { return polynomial_of_.size(); }
  [[nodiscard]] std::size_t entries() const noexcept { return entries_; }
  [[nodiscard]] double features() const noexcept { return features_; }
  [[nodiscard]] std::size_t searched() const noexcept { return searched_; }
  [[nodiscard]] std::size_t nbytes() const noexcept;

  // visit(tree, count), trees ascending.
  template <class Visit>
  void for_each_tree(std::size_t pattern, Visit visit) const {
    pattern_words::for_each(words_[pattern], visit);
  }
  // (size, fragments) pairs, sizes ascending.
  [[nodiscard]] std::span<const double> histogram(std::size_t pattern) const {
    return polynomials_[polynomial_of_[pattern]];
  }
  // W of every pattern.
  [[nodiscard]] std::vector<double> weights(double decay) const;

  [[nodiscard]] const PairSet& malicious() const noexcept { return *malicious_; }

 private:
  void collect(PatternTable& table, std::size_t threads, Observer& observer);

  kernel::trees::TreeKernel kernel_;
  std::unique_ptr<PairSet> malicious_;
  Lists<std::uint32_t> words_;                // of every pattern
  std::vector<std::uint32_t> polynomial_of_;  // pattern
  SequenceTable<double> polynomials_;         // different histograms: size, fragments, size, ...
  std::size_t entries_ = 0;
  double features_ = 0;
  std::size_t searched_ = 0;
};

}  // namespace gristmill::mine::fragments
