// SPDX-License-Identifier: BSD-3-Clause
// The forest scorer: a tree machine folded onto the different subtrees of its support trees. The weight of a subtree is
// the sum of the coefficients of the trees that have it (compare the SDAG of Aiolli et al. 2006). There are two ways to
// go on: lists, which are taken apart position by position and answer for subtrees of their own by looking them up, and
// vectors of Delta, where trees are so wide that lists would explode. Both are exact for subtrees the machine has never
// seen.
#pragma once
#include <memory>

#include "base/buffer.hpp"
#include "base/observer.hpp"
#include "forest/subtree_index.hpp"
#include "kernel/operator/program_groups.hpp"
#include "kernel/trees/tree_kernel.hpp"

namespace gristmill::score::trees {

// What a scorer by lists has besides the support trees, to be saved and mapped (see list_tree.hpp).
struct ListTables {
  Buffer<std::uint32_t> code;
  Buffer<double> weights;
  Buffer<std::uint32_t> roots;  // of lists, by production or label
  Buffer<double> values;        // of subtrees of the support, with all below them
  Buffer<double> folded;        // weights of subtrees, where lists may be given up
  Buffer<double> labels;        // what nodes count for their label alone

  // visit(name, buffer)
  template <class Visit>
  void for_each(Visit visit) const {
    visit("code", code);
    visit("weights", weights);
    visit("roots", roots);
    visit("values", values);
    visit("folded", folded);
    visit("labels", labels);
  }
};

class ForestScorer {
 public:
  // Trees to be scored, as the scorer sees them.
  class Queries {
   public:
    Queries() = default;
    Queries(const Queries&) = delete;
    Queries& operator=(const Queries&) = delete;
    virtual ~Queries() = default;
  };

  ForestScorer() = default;
  ForestScorer(const ForestScorer&) = delete;
  ForestScorer& operator=(const ForestScorer&) = delete;
  virtual ~ForestScorer() = default;

  [[nodiscard]] virtual std::size_t outputs() const noexcept = 0;
  [[nodiscard]] virtual std::size_t nbytes() const noexcept = 0;
  // Null where there are none.
  [[nodiscard]] virtual const ListTables* tables() const noexcept { return nullptr; }

  // Looks at forests, which must not change meanwhile: that of the trees, and that of the support trees.
  [[nodiscard]] virtual std::unique_ptr<Queries> prepare(const forest::Forest& forest,
                                                         std::span<const forest::NodeId> roots) const = 0;
  // out: queries x outputs(), row by row: sum_i coef[i] K(s_i, query).
  virtual void score(const Queries& queries, std::span<double> out, std::size_t threads, Observer& observer) const = 0;
};

// coef: support trees x outputs, row by row.
struct ForestMachine {
  kernel::trees::TreeKernel kernel;
  std::shared_ptr<const forest::Forest> forest;
  std::span<const forest::NodeId> roots;
  std::span<const double> coef;
  std::size_t outputs;
};

[[nodiscard]] std::unique_ptr<ForestScorer> make_delta_scorer(const ForestMachine& machine);
// Throws OperatorTooLargeError where it takes more than it may.
[[nodiscard]] std::unique_ptr<ForestScorer> make_list_scorer(const ForestMachine& machine,
                                                             const kernel::gram::CompileOptions& limits,
                                                             Observer& observer);

// With tables that were made before, of the same support trees in the same order; coefficients are not looked at.
// Throws std::invalid_argument where the tables do not fit.
[[nodiscard]] std::unique_ptr<ForestScorer> restore_list_scorer(const ForestMachine& machine, ListTables tables);

}  // namespace gristmill::score::trees
