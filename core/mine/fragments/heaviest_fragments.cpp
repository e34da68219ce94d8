// SPDX-License-Identifier: BSD-3-Clause
#include "mine/fragments/heaviest_fragments.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/parallel.hpp"
#include "kernel/trees/identity_deltas.hpp"
#include "mine/fragments/heaviest_search.hpp"

namespace gristmill::mine::fragments {
namespace {

// Fragments that do not grow.
class WholeFragments {
 public:
  explicit WholeFragments(const HeaviestTask& task)
      : task_(task), index_(task.index), pulse_(task.stop, 0), sums_(task.coef), counts_(task.index.trees(), 0) {}

  // ST: all subtrees but leaves.
  void offer_subtrees() {
    const kernel::trees::IdentityDeltas deltas(task_.kernel, index_);
    std::vector<std::uint64_t> productions;
    for (forest::SubtreeId id = 0; id < index_.size(); ++id) {
      std::uint64_t size = index_.set().is_leaf(id) ? 0 : 1;
      for (const forest::SubtreeId child : index_.set().children(id)) size += productions[child];
      productions.push_back(size);
      if (size == 0 || (task_.options.max_size != 0 && size > task_.options.max_size)) continue;
      count(index_.rank(id));
      offer(deltas.weight(id), size, [id](FragmentTrees& trees) { return trees.add_subtree(id); });
    }
  }

  // Labels alone: of leaves, or of all nodes.
  void offer_labels(double weight, bool leaves) {
    for (const forest::SubtreeIndex::Production& production : index_.productions()) {
      const forest::LabelId label = production.label;
      const bool counts = leaves ? production.is_leaf() : !task_.kernel.marked || index_.is_marked(label);
      if (counts) {
        for (forest::SubtreeRank rank = production.begin; rank < production.end; ++rank) count(rank);
      }
      const bool is_last = &production == &index_.productions().back() || (&production)[1].label != label;
      if (is_last) offer(weight, 0, [label](FragmentTrees& trees) { return trees.add_label(label); });
    }
  }

 private:
  void count(forest::SubtreeRank rank) {
    pulse_(index_.postings(rank).size());
    for (const forest::SubtreeIndex::Posting& posting : index_.postings(rank)) {
      if (counts_[posting.tree] == 0) found_.push_back(posting.tree);
      counts_[posting.tree] += posting.count;
    }
  }

  template <class Add>
  void offer(double value, std::uint64_t size, Add add) {
    std::ranges::sort(found_);
    for (const std::uint32_t tree : found_) {
      const double times = std::exchange(counts_[tree], 0);
      sums_.add(tree, times, times, 0);
    }
    found_.clear();
    sums_.finish([&](std::uint32_t output, const OutputSums::Sum& sum) {
      if (sum.support < task_.options.min_support) return;
      task_.list.offer({value * sum.weight, output, size, sum.support, sum.embeddings}, add);
    });
  }

  const HeaviestTask& task_;
  const forest::SubtreeIndex& index_;
  Pulse pulse_;
  OutputSums sums_;
  std::vector<double> counts_;  // per tree, while they are counted
  std::vector<std::uint32_t> found_;
};

// A symbol to start from.
struct Root {
  FragmentStep step;
  std::vector<WeightedPlace> places;
  double bound;
};

std::vector<Root> roots_of(const MinedTrees& trees, bool needs_mark) {
  std::vector<Root> roots(trees.symbols());
  for (TreeNode at = 0; at < trees.size(); ++at) {
    if (trees.may_start(trees[at], needs_mark)) roots[trees[at].symbol].places.push_back({at, 1, 1});
  }
  for (FragmentSymbol symbol = 0; symbol < roots.size(); ++symbol) roots[symbol].step = {symbol, 0, 0};
  std::erase_if(roots, [](const Root& root) { return root.places.empty(); });
  return roots;
}

// All symbols are weighed before any of them grows: the threshold is high by then.
void search(const HeaviestTask& task, std::size_t threads) {
  const MinedTrees trees(task.kernel, task.index, task.options.min_support);
  const GrowthRoom room(task.kernel, trees);
  std::vector<Root> roots = roots_of(trees, task.kernel.marked);
  std::deque<HeaviestSearch> searches;
  for (std::size_t worker = 0; worker < threads_for(roots.size(), 1, threads); ++worker) {
    searches.emplace_back(task, trees, room, worker);
  }
  for (Root& root : roots) root.bound = searches.front().weigh({&root.step, 1}, root.places);
  std::ranges::stable_sort(roots, std::ranges::greater{}, &Root::bound);
  parallel_for(roots.size(), 1, threads, task.stop, [&](std::size_t begin, std::size_t end, std::size_t worker) {
    for (std::size_t at = begin; at < end; ++at) {
      if (task.is_worth(roots[at].bound)) searches[worker].run(roots[at].step, roots[at].places);
      roots[at].places = {};
    }
  });
}

}  // namespace

std::vector<HeavyFragment> heaviest_fragments(const kernel::trees::TreeKernel& kernel,
                                              const forest::SubtreeIndex& index, const TreeCoefficients& coef,
                                              const FragmentOptions& options, FragmentTrees& trees, std::size_t threads,
                                              Observer& observer) {
  if (kernel.terminals != 1) {
    throw std::invalid_argument(
        "with a terminal factor other than 1 a fragment has no weight of its own, for it counts less or more where it "
        "ends at a leaf of a tree; ask for the nodes of trees instead");
  }
  HeaviestList list(trees, options.top, options.least, options.most);
  Stop stop(observer);
  const HeaviestTask task{kernel, index, coef, options, list, stop};
  WholeFragments whole(task);
  if (kernel.leaves != 0) whole.offer_labels(kernel.leaves, true);
  if (kernel.single_nodes != 0) whole.offer_labels(kernel.single_nodes, false);
  if (kernel.family == kernel::trees::TreeKernel::Family::identity) {
    whole.offer_subtrees();
  } else {
    search(task, threads);
  }
  return list.take();
}

}  // namespace gristmill::mine::fragments
