// SPDX-License-Identifier: BSD-3-Clause
// Delta of one subtree with the subtrees of an index for ST: decay^(number of productions) with its equal, 0 with all
// others. Subtrees have numbers, so this takes no recursion and linear time (compare Vishwanathan and Smola 2003).
#pragma once
#include "kernel/tree_kernel.hpp"
#include "kernel/tree_queries.hpp"

namespace gristmill {

class IdentityDeltas {
 public:
  static constexpr bool worth_keeping = false;  // there is nothing to keep

  struct Vector {
    void clear() noexcept {}
    [[nodiscard]] std::size_t nbytes() const noexcept { return 0; }
  };
  struct Scratch {};

  IdentityDeltas(const TreeKernel& kernel, const SubtreeIndex& index) : index_(index) {
    for (SubtreeId id = 0; id < index.size(); ++id) {
      double weight = kernel.factor;
      for (const SubtreeId child : index.set().children(id)) {
        if (!index.set().is_leaf(child)) weight *= weights_[child];
      }
      weights_.push_back(weight);
    }
  }
  // Delta of a subtree of the index, which must have children, with itself.
  [[nodiscard]] double weight(SubtreeId id) const noexcept { return weights_[id]; }
  [[nodiscard]] static Scratch make_scratch() { return {}; }

  [[nodiscard]] static bool has_vector(const TreeQueries& queries, SubtreeId v) noexcept {
    return queries.known(v) != TreeQueries::none && !queries.set().is_leaf(v);
  }

  template <class VectorOf, class Poll>
  void extend(const TreeQueries&, SubtreeId, std::span<const std::uint32_t>, VectorOf, Vector&, Scratch&, Poll) const {}

  template <class Sink>
  void visit(const TreeQueries& queries, SubtreeId v, const Vector&, Scratch&, Sink sink) const {
    sink(index_.rank(queries.known(v)), weights_[queries.known(v)]);
  }

  [[nodiscard]] double dot(const TreeQueries& queries, SubtreeId v, const Vector&, Scratch&,
                           std::span<const double> weights) const {
    return weights_[queries.known(v)] * weights[index_.rank(queries.known(v))];
  }

  [[nodiscard]] std::size_t nbytes() const noexcept { return weights_.size() * sizeof(double); }

 private:
  const SubtreeIndex& index_;
  std::vector<double> weights_;  // per subtree
};

}  // namespace gristmill
