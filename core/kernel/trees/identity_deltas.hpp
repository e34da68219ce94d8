// SPDX-License-Identifier: BSD-3-Clause
// Delta of one subtree with the subtrees of an index for ST: decay^(number of productions) with its equal, 0 with all
// others. Subtrees have numbers, so this takes no recursion and linear time (compare Vishwanathan and Smola 2003).
#pragma once
#include <memory>

#include "base/stop.hpp"
#include "forest/tree_queries.hpp"
#include "kernel/trees/tree_kernel.hpp"

namespace gristmill::kernel::trees {

// Delta of each subtree with itself; 1 for leaves, which count only in products.
[[nodiscard]] inline std::vector<double> identity_weights(const TreeKernel& kernel, const forest::Subtrees& subtrees) {
  std::vector<double> weights;
  weights.reserve(subtrees.subtrees());
  for (forest::SubtreeId id = 0; id < subtrees.subtrees(); ++id) {
    weights.push_back(subtrees.is_leaf(id) ? 1.0 : kernel.factor);
    for (const forest::SubtreeId child : subtrees.children(id)) weights.back() *= weights[child];
  }
  return weights;
}

class IdentityDeltas {
 public:
  static constexpr bool worth_keeping = false;  // there is nothing to keep

  struct Vector {
    void clear() noexcept {}
    [[nodiscard]] std::size_t nbytes() const noexcept { return 0; }
  };
  struct Scratch {};

  IdentityDeltas(const TreeKernel& kernel, const forest::SubtreeIndex& index)
      : index_(index), weights_(identity_weights(kernel, index.set())) {}
  // Delta of a subtree of the index, which must have children, with itself.
  [[nodiscard]] double weight(forest::SubtreeId id) const noexcept { return weights_[id]; }
  [[nodiscard]] static Scratch make_scratch() { return {}; }

  [[nodiscard]] static bool has_vector(const forest::TreeQueries& queries, forest::SubtreeId v) noexcept {
    return queries.known(v) != forest::TreeQueries::none && !queries.set().is_leaf(v);
  }

  void extend(const forest::TreeQueries&, forest::SubtreeId, std::span<const std::uint32_t>,
              std::span<const std::unique_ptr<Vector>>, Vector&, Scratch&, Pulse&) const {}

  template <class Sink>
  void visit(const forest::TreeQueries& queries, forest::SubtreeId v, const Vector&, Scratch&, Sink sink) const {
    sink(index_.rank(queries.known(v)), weights_[queries.known(v)]);
  }

  [[nodiscard]] double dot(const forest::TreeQueries& queries, forest::SubtreeId v, const Vector&, Scratch&,
                           std::span<const double> weights) const {
    return weights_[queries.known(v)] * weights[index_.rank(queries.known(v))];
  }

  [[nodiscard]] std::size_t nbytes() const noexcept { return weights_.size() * sizeof(double); }

 private:
  const forest::SubtreeIndex& index_;
  std::vector<double> weights_;  // per subtree
};

}  // namespace gristmill::kernel::trees
