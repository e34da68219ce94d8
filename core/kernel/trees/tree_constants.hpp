// SPDX-License-Identifier: BSD-3-Clause
// The part of a tree kernel that needs no recursion: weighted inner products of how often trees have productions,
// labels and leaves.
#pragma once
#include "forest/count_columns.hpp"
#include "forest/tree_queries.hpp"
#include "kernel/trees/tree_kernel.hpp"

namespace gristmill::kernel::trees {

class TreeConstants {
 public:
  TreeConstants(const TreeKernel& kernel, const forest::SubtreeIndex& index);

  struct Scratch {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> features;  // of the query, with their counts
    std::vector<std::int32_t> sums;
  };

  // sums[tree] = the constant part of K(query, tree), for the trees there are sums for.
  void fill(const forest::TreeQueries& queries, std::size_t query, std::span<double> sums, Scratch& scratch) const;

  [[nodiscard]] double production_weight(forest::ProductionId production) const noexcept {
    return production_weights_[production];
  }
  [[nodiscard]] double label_weight(forest::LabelId label) const noexcept { return label_weights_[label]; }
  [[nodiscard]] std::size_t nbytes() const noexcept;

 private:
  // Features that count the same.
  struct Group {
    double weight;
    bool labels;  // else productions
    forest::CountColumns columns;
  };

  void add_group(const forest::SubtreeIndex& index, double weight, bool labels);
  [[nodiscard]] const std::vector<double>& weights(bool labels) const noexcept {
    return labels ? label_weights_ : production_weights_;
  }
  void count_features(const Group& group, const forest::TreeQueries& queries, std::size_t query,
                      Scratch& scratch) const;

  std::vector<double> production_weights_;
  std::vector<double> label_weights_;
  std::vector<Group> groups_;
  std::uint64_t largest_ = 0;  // nodes of a tree
};

}  // namespace gristmill::kernel::trees
