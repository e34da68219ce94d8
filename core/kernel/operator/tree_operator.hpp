// SPDX-License-Identifier: BSD-3-Clause
// The Gram matrix of a tree kernel over some trees as an exact linear operator that never exists in memory. Over the
// different subtrees Delta is a matrix with few numbers in it once its structure is used: it is compiled into programs,
// one for some productions (or labels) each. Three verbs:
//   fold    weights of trees become weights of subtrees
//   apply   F = Delta W over subtrees
//   gather  values of subtrees become values of trees
// Equal trees are one. Immutable; trees are appended by making another operator that shares the programs of all
// productions without new subtrees.
#pragma once
#include "kernel/operator/folding.hpp"
#include "kernel/operator/program_groups.hpp"

namespace gristmill::kernel::gram {

class TreeOperator {
 public:
  TreeOperator(const trees::TreeKernel& kernel, const forest::Forest& forest, std::span<const forest::NodeId> roots,
               const CompileOptions& options, Observer& observer);
  // The trees of another operator, which must be of the same forest, and more.
  TreeOperator(const TreeOperator& before, const forest::Forest& forest, std::span<const forest::NodeId> roots,
               const CompileOptions& options, Observer& observer);

  [[nodiscard]] std::size_t trees() const noexcept { return roots_.size(); }
  [[nodiscard]] std::size_t different_trees() const noexcept { return different_trees_; }
  [[nodiscard]] std::size_t subtrees() const noexcept { return subtrees_.subtrees(); }
  [[nodiscard]] const forest::Subtrees& graph() const noexcept { return subtrees_; }
  [[nodiscard]] const forest::Productions& productions() const noexcept { return productions_; }
  [[nodiscard]] std::size_t nbytes() const noexcept;
  // How many subtrees belong to programs that were compiled for this operator, not taken over.
  [[nodiscard]] std::size_t compiled() const noexcept { return compiled_; }

  // weights and scales (or none) of trees; folded[subtree * columns + column]. `columns` must be 1, 2, 4 or 8;
  // weights[tree * stride + column].
  void fold(const double* weights, std::size_t stride, std::span<const double> scales, std::size_t columns,
            std::span<double> folded) const;
  // values += Delta folded
  void apply(std::span<const double> folded, std::size_t columns, std::span<double> values, std::size_t threads,
             Observer& observer) const;
  // values are summed in place; out[tree * stride + column].
  void gather(std::span<double> values, std::size_t columns, std::span<const double> scales, double* out,
              std::size_t stride) const;

  // What multiply() works on; worth keeping from one to the next.
  struct Scratch {
    std::vector<double> folded;
    std::vector<double> values;
  };

  // All three: out = K weights, both trees() x columns, row by row, for any number of columns. With scales, one for
  // each tree, the matrix is scaled on both sides. Throws std::invalid_argument where a result is no number.
  void multiply(std::span<const double> weights, std::size_t columns, std::span<const double> scales,
                std::span<double> out, Scratch& scratch, std::size_t threads, Observer& observer) const;

 private:
  void add(const forest::Forest& forest, std::span<const forest::NodeId> roots, const CompileOptions& options,
           Observer& observer);
  static void run(const ProgramGroups& groups, std::span<const double> folded, std::size_t columns,
                  std::span<double> values, std::size_t threads, Observer& observer);

  trees::TreeKernel kernel_;
  forest::Subtrees subtrees_;
  forest::Productions productions_;
  std::vector<forest::SubtreeId> roots_;  // of the trees
  std::size_t different_trees_ = 0;
  std::size_t compiled_ = 0;
  std::shared_ptr<const Folding> folding_;
  ProgramGroups deltas_;  // the longest first
  ProgramGroups labels_;  // what pairs of equal labels count by themselves
};

}  // namespace gristmill::kernel::gram
