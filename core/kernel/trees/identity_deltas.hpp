// SPDX-License-Identifier: BSD-3-Clause
// Delta of one subtree with the subtrees of an index for ST: decay^(number of productions) with its equal, 0 with all
// others. Subtrees have numbers, so this takes no recursion and linear time (compare Vishwanathan and Smola 2003).
#pragma once
#include "forest/tree_queries.hpp"
#include "kernel/trees/tree_kernel.hpp"

namespace gristmill::kernel::trees {

class IdentityDeltas {
 public:
  static constexpr bool worth_keeping = false;  // there is nothing to keep

  struct Vector {
    void clear() noexcept {}
    [[nodiscard]] std::size_t nbytes() const noexcept { return 0; }
  };
  struct Scratch {};

  IdentityDeltas(const TreeKernel& kernel, const forest::SubtreeIndex& index) : index_(index) {
    for (forest::SubtreeId id = 0; id < index.size(); ++id) {
      double weight = kernel.factor;
      for (const forest::SubtreeId child : index.set().children(id)) {
        if (!index.set().is_leaf(child)) weight *= weights_[child];
      }
      weights_.push_back(weight);
    }
  }
  // Delta of a subtree of the index, which must have children, with itself.
  [[nodiscard]] double weight(forest::SubtreeId id) const noexcept { return weights_[id]; }
  [[nodiscard]] static Scratch make_scratch() { return {}; }

  [[nodiscard]] static bool has_vector(const forest::TreeQueries& queries, forest::SubtreeId v) noexcept {
    return queries.known(v) != forest::TreeQueries::none && !queries.set().is_leaf(v);
  }

  template <class VectorOf, class Poll>
  void extend(const forest::TreeQueries&, forest::SubtreeId, std::span<const std::uint32_t>, VectorOf, Vector&,
              Scratch&, Poll) const {}

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
