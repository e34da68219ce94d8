// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/operator/tree_operator.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/parallel.hpp"
#include "base/stop.hpp"
#include "kernel/trees/finish_row.hpp"

namespace gristmill::kernel::gram {
namespace {

constexpr std::size_t steps_a_tree = 32;  // to find its subtrees, roughly

std::size_t bytes_of(const ProgramGroups& groups) {
  std::size_t bytes = 0;
  for (const auto& group : groups) bytes += group->program.nbytes();
  return bytes;
}

// Whether leaves by themselves are compared.
bool counts_leaves(const trees::TreeKernel& kernel) {
  return kernel.family == trees::TreeKernel::Family::sequence || kernel.leaves != 0 || kernel.single_nodes != 0;
}

}  // namespace

TreeOperator::TreeOperator(const trees::TreeKernel& kernel, const forest::Forest& forest,
                           std::span<const forest::NodeId> roots, const CompileOptions& options, Observer& observer)
    : kernel_(kernel), subtrees_(forest, roots.size()) {
  add(forest, roots, options, observer);
}

TreeOperator::TreeOperator(const TreeOperator& before, const forest::Forest& forest,
                           std::span<const forest::NodeId> roots, const CompileOptions& options, Observer& observer)
    : TreeOperator(before) {
  add(forest, roots, options, observer);
}

void TreeOperator::add(const forest::Forest& forest, std::span<const forest::NodeId> roots,
                       const CompileOptions& options, Observer& observer) {
  const std::size_t known = subtrees_.subtrees();
  Stop stop(observer);
  Pulse pulse(stop, 0);
  for (const forest::NodeId root : roots) {
    roots_.push_back(subtrees_.add(forest, root));
    pulse(steps_a_tree);
  }
  productions_.add(forest, subtrees_);
  folding_ = std::make_shared<const Folding>(subtrees_, counts_leaves(kernel_));
  GroupSource source{kernel_, forest, subtrees_, productions_, known, 0};
  labels_ = label_groups(source);
  source.used_bytes = nbytes() - bytes_of(deltas_);
  try {
    compiled_ = update_deltas(source, options, deltas_, observer);
  } catch (const SubtreeRange& error) {
    // The root is the last subtree that comes with a tree.
    const auto found = std::ranges::find_if(roots_, [&](forest::SubtreeId root) { return root >= error.subtree; });
    const auto tree = static_cast<std::size_t>(found - roots_.begin());
    trees::fail_range(tree, tree);
  }
  std::vector<bool> seen(subtrees(), false);
  different_trees_ = 0;
  for (const forest::SubtreeId root : roots_) {
    different_trees_ += seen[root] ? 0 : 1;
    seen[root] = true;
  }
}

std::size_t TreeOperator::nbytes() const noexcept {
  std::size_t bytes = subtrees_.nbytes() + productions_.total_bytes() + roots_.size() * sizeof(forest::SubtreeId);
  bytes += folding_->nbytes();
  return bytes + bytes_of(deltas_) + bytes_of(labels_);
}

void TreeOperator::fold(const double* weights, std::size_t stride, std::span<const double> scales, std::size_t columns,
                        std::span<double> folded) const {
  std::ranges::fill(folded, 0.0);
  for (std::size_t tree = 0; tree < trees(); ++tree) {
    const double scale = scales.empty() ? 1.0 : scales[tree];
    for (std::size_t k = 0; k < columns; ++k) folded[roots_[tree] * columns + k] += scale * weights[tree * stride + k];
  }
  folding_->fold(folded, columns);
}

void TreeOperator::apply(std::span<const double> folded, std::size_t columns, std::span<double> values,
                         std::size_t threads, Observer& observer) const {
  for (const ProgramGroups* groups : {&deltas_, &labels_}) {
    if (groups->empty()) continue;
    std::vector<ProgramRunner> runners(threads_for(groups->size(), 1, threads));
    parallel_for(groups->size(), 1, threads, observer, [&](std::size_t begin, std::size_t end, std::size_t worker) {
      for (std::size_t at = begin; at < end; ++at) {
        runners[worker].run((*groups)[at]->program, columns, folded.data(), values.data());
      }
    });
  }
}

void TreeOperator::gather(std::span<double> values, std::size_t columns, std::span<const double> scales, double* out,
                          std::size_t stride) const {
  folding_->gather(values, columns);
  for (std::size_t tree = 0; tree < trees(); ++tree) {
    const double scale = scales.empty() ? 1.0 : scales[tree];
    for (std::size_t k = 0; k < columns; ++k) {
      out[tree * stride + k] = scale * values[roots_[tree] * columns + k];
      if (!std::isfinite(out[tree * stride + k])) trees::fail_range(tree);
    }
  }
}

void TreeOperator::multiply(std::span<const double> weights, std::size_t columns, std::span<const double> scales,
                            std::span<double> out, Scratch& scratch, std::size_t threads, Observer& observer) const {
  for (std::size_t first = 0; first < columns;) {
    const std::size_t width = std::bit_floor(std::min<std::size_t>(columns - first, 8));
    scratch.folded.resize(subtrees() * width);
    scratch.values.assign(subtrees() * width, 0.0);
    fold(weights.data() + first, columns, scales, width, scratch.folded);
    apply(scratch.folded, width, scratch.values, threads, observer);
    gather(scratch.values, width, scales, out.data() + first, columns);
    first += width;
  }
}

}  // namespace gristmill::kernel::gram
