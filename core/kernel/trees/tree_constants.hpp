// SPDX-License-Identifier: BSD-3-Clause
// The part of a tree kernel that needs no recursion: weighted inner products of how often trees have productions,
// labels and leaves. Where terminals weigh otherwise, labels count with the weight of terminals, and those of inner
// nodes once more with what these weigh beyond it.
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
  [[nodiscard]] double inner_weight(forest::LabelId label) const noexcept { return inner_weights_[label]; }
  [[nodiscard]] bool tells_inner() const noexcept { return tells_inner_; }
  [[nodiscard]] std::size_t nbytes() const noexcept;

 private:
  enum class Feature { production, label, inner };  // inner: the label of a node with children

  // Features that count the same.
  struct Group {
    double weight;
    Feature of;
    forest::CountColumns columns;
  };

  void add_group(const forest::SubtreeIndex& index, double weight, Feature of);
  [[nodiscard]] const std::vector<double>& weights(Feature of) const noexcept {
    if (of == Feature::production) return production_weights_;
    return of == Feature::label ? label_weights_ : inner_weights_;
  }
  void count_features(const Group& group, const forest::TreeQueries& queries, std::size_t query,
                      Scratch& scratch) const;

  std::vector<double> production_weights_;
  std::vector<double> label_weights_;
  std::vector<double> inner_weights_;
  bool tells_inner_;
  std::vector<Group> groups_;
  std::uint64_t largest_ = 0;  // nodes of a tree
};

}  // namespace gristmill::kernel::trees
