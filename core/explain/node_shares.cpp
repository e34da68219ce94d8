// SPDX-License-Identifier: BSD-3-Clause
#include "explain/node_shares.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "base/parallel.hpp"
#include "base/stop.hpp"
#include "explain/production_rule.hpp"
#include "explain/sequence_rule.hpp"
#include "explain/share_passes.hpp"
#include "kernel/trees/finish_row.hpp"
#include "kernel/trees/identity_deltas.hpp"
#include "kernel/trees/with_family.hpp"

namespace gristmill::explain {
namespace {

// Some quadrature points of a tree; without any, what hangs from its nodes.
struct Task {
  std::size_t tree;
  std::span<const QuadraturePoint> points;
  std::vector<double> shares{};  // so that they are added up in one order
};

template <class Rule>
class SharedWork {
 public:
  SharedWork(const NodeShares& machine, const forest::TreeQueries& queries, std::span<const std::size_t> starts,
             std::size_t threads)
      : machine_(machine), queries_(queries), starts_(starts), threads_(threads) {}

  void run(std::span<double> rooted, std::span<double> shared, Observer& observer) {
    for (std::size_t tree = 0; tree < queries_.set().trees(); ++tree) tasks_.push_back({tree, {}});
    if (!shared.empty()) add_points(observer);
    for_each(tasks_.size(), observer, [&](std::size_t number, SharePasses<Rule>& passes) {
      Task& task = tasks_[number];
      passes.take(task.tree);
      if (task.points.empty()) return passes.add_rooted(rows(rooted, task.tree));
      task.shares.assign(rows(shared, task.tree).size(), 0.0);
      passes.add_shared(task.points, task.shares);
    });
    for (const Task& task : tasks_) {
      if (task.points.empty()) continue;
      const std::span<double> out = rows(shared, task.tree);
      for (std::size_t at = 0; at < out.size(); ++at) out[at] += task.shares[at];
    }
  }

 private:
  static constexpr std::size_t most_tasks = 16;  // of a tree: each has shares of its own

  // A share is the integral of a polynomial of a degree below the size of the largest fragment.
  void add_points(Observer& observer) {
    Scaled silent(observer, 0, 0, 1);  // short beside what follows: it may be stopped, and reports no progress
    std::vector<std::size_t> largest(queries_.set().trees());
    for_each(largest.size(), silent, [&](std::size_t tree, SharePasses<Rule>& passes) {
      passes.take(tree);
      largest[tree] = passes.largest();
    });
    Stop stop(silent);
    Pulse pulse(stop, 0);
    for (std::size_t tree = 0; tree < largest.size(); ++tree) {
      const std::size_t count = (largest[tree] + 1) / 2;
      auto& points = points_[count];
      if (points.size() < count) points = gauss_legendre(count, std::ref(pulse));
      split(tree, points);
    }
  }

  void split(std::size_t tree, std::span<const QuadraturePoint> points) {
    const std::size_t blocks = (points.size() + Points::count - 1) / Points::count;
    const std::size_t step = (blocks + most_tasks - 1) / most_tasks * Points::count;
    for (std::size_t at = 0; at < points.size(); at += step) {
      tasks_.push_back({tree, points.subspan(at, std::min(step, points.size() - at))});
    }
  }

  // work(number, passes of the thread)
  template <class Work>
  void for_each(std::size_t count, Observer& observer, const Work& work) {
    Stop stop(observer);
    std::vector<std::unique_ptr<SharePasses<Rule>>> passes(threads_for(count, 1, threads_));
    parallel_for(count, 1, threads_, stop, [&](std::size_t begin, std::size_t end, std::size_t worker) {
      if (!passes[worker]) passes[worker] = std::make_unique<SharePasses<Rule>>(machine_, queries_, stop, worker);
      for (std::size_t number = begin; number < end; ++number) work(number, *passes[worker]);
    });
  }

  [[nodiscard]] std::span<double> rows(std::span<double> all, std::size_t tree) const {
    const std::size_t begin = starts_[tree] * machine_.outputs();
    return all.subspan(begin, starts_[tree + 1] * machine_.outputs() - begin);
  }

  const NodeShares& machine_;
  const forest::TreeQueries& queries_;
  std::span<const std::size_t> starts_;
  std::size_t threads_;
  std::map<std::size_t, std::vector<QuadraturePoint>> points_;  // by how many
  std::vector<Task> tasks_;
};

// Where the nodes of each tree begin.
std::vector<std::size_t> node_starts(const forest::TreeQueries& queries) {
  std::vector<std::size_t> starts{0};
  for (std::size_t tree = 0; tree < queries.set().trees(); ++tree) {
    std::size_t nodes = 0;
    for (const forest::TreeSet::Part& part : queries.set().parts(tree)) nodes += part.count;
    starts.push_back(starts.back() + nodes);
  }
  return starts;
}

// ST has a rule of its own.
template <class Family>
struct RuleOf {
  using Type = ProductionRule<typename Family::Value>;
};
template <class Value>
struct RuleOf<kernel::trees::SequenceFamily<Value>> {
  using Type = SequenceRule<Value>;
};

void check_range(std::span<const double> shares, std::span<const std::size_t> starts, std::size_t outputs) {
  const auto bad = std::ranges::find_if(shares, [](double share) { return !std::isfinite(share); });
  if (bad == shares.end()) return;
  const std::size_t node = static_cast<std::size_t>(bad - shares.begin()) / outputs;
  kernel::trees::fail_range(static_cast<std::size_t>(std::ranges::upper_bound(starts, node) - starts.begin()) - 1);
}

}  // namespace

NodeShares::NodeShares(const kernel::trees::TreeKernel& kernel, std::shared_ptr<const forest::SubtreeIndex> index,
                       std::span<const double> coef, std::size_t outputs)
    : kernel_(kernel), index_(std::move(index)), outputs_(outputs) {
  fold(coef);
  fold_single_nodes();
}

void NodeShares::fold(std::span<const double> coef) {
  weights_.assign(index_->size() * outputs_, 0.0);
  for (forest::SubtreeRank rank = 0; rank < index_->size(); ++rank) {
    for (const forest::SubtreeIndex::Posting& posting : index_->postings(rank)) {
      for (std::size_t output = 0; output < outputs_; ++output) {
        weights_[rank * outputs_ + output] += posting.count * coef[posting.tree * outputs_ + output];
      }
    }
  }
}

void NodeShares::fold_single_nodes() {
  by_label_.assign(index_->labels() * outputs_, 0.0);
  by_leaf_.assign(index_->productions().size() * outputs_, 0.0);
  for (forest::ProductionId p = 0; p < index_->productions().size(); ++p) {
    const forest::SubtreeIndex::Production& production = index_->productions()[p];
    const bool counts = !kernel_.marked || index_->is_marked(production.label);
    for (forest::SubtreeRank rank = production.begin; rank < production.end; ++rank) {
      for (std::size_t output = 0; output < outputs_; ++output) {
        const double weight = weights(rank)[output];
        if (counts) by_label_[production.label * outputs_ + output] += kernel_.single_nodes * weight;
        if (production.is_leaf()) by_leaf_[p * outputs_ + output] += kernel_.leaves * weight;
      }
    }
  }
}

std::size_t NodeShares::nbytes() const noexcept {
  return index_->nbytes() + (weights_.size() + by_label_.size() + by_leaf_.size()) * sizeof(double);
}

std::size_t NodeShares::nodes(const forest::TreeQueries& queries) { return node_starts(queries).back(); }

void NodeShares::explain(const forest::TreeQueries& queries, std::span<double> rooted, std::span<double> shared,
                         std::size_t threads, Observer& observer) const {
  const std::vector<std::size_t> starts = node_starts(queries);
  std::ranges::fill(rooted, 0.0);
  std::ranges::fill(shared, 0.0);
  kernel::trees::with_family<Points>(kernel_, [&]<class Family>(Family) {
    if constexpr (std::is_same_v<Family, kernel::trees::IdentityFamily>) {
      explain_identity(queries, rooted, shared);
    } else {
      SharedWork<typename RuleOf<Family>::Type>(*this, queries, starts, threads).run(rooted, shared, observer);
    }
  });
  for (const std::span<double> shares : {rooted, shared}) {
    if (!shares.empty()) add_single_nodes(queries, shares);
    check_range(shares, starts, outputs_);
  }
}

// Equal subtrees are all that counts: every node has an equal part of all that it stands in.
void NodeShares::explain_identity(const forest::TreeQueries& queries, std::span<double> rooted,
                                  std::span<double> shared) const {
  const forest::TreeSet& set = queries.set();
  const kernel::trees::IdentityDeltas deltas(kernel_, *index_);
  std::vector<double> sizes(set.subtrees(), 1);
  for (forest::SubtreeId id = 0; id < set.subtrees(); ++id) {
    for (const forest::SubtreeId child : set.children(id)) sizes[id] += sizes[child];
  }
  TreePairs pairs(kernel_, *index_, queries);
  std::size_t first = 0;  // node of the tree
  for (std::size_t tree = 0; tree < set.trees(); ++tree) {
    pairs.unfold(tree);
    for (std::size_t node = 0; node < pairs.nodes().size(); ++node) {
      const forest::SubtreeId subtree = pairs.nodes()[node].subtree;
      const std::size_t row = (first + node) * outputs_;
      const forest::SubtreeId known = set.is_leaf(subtree) ? forest::TreeQueries::none : queries.known(subtree);
      for (std::size_t output = 0; output < outputs_; ++output) {
        const double whole =
            known == forest::TreeQueries::none ? 0.0 : deltas.weight(known) * weights(index_->rank(known))[output];
        rooted[row + output] = whole;
        if (shared.empty()) continue;
        shared[row + output] += whole / sizes[subtree];
        for (const std::uint32_t child : pairs.children(node)) {
          shared[(first + child) * outputs_ + output] = shared[row + output];
        }
      }
    }
    first += pairs.nodes().size();
  }
}

void NodeShares::add_single_nodes(const forest::TreeQueries& queries, std::span<double> shares) const {
  if (kernel_.single_nodes == 0 && kernel_.leaves == 0) return;
  TreePairs pairs(kernel_, *index_, queries);
  std::size_t row = 0;
  for (std::size_t tree = 0; tree < queries.set().trees(); ++tree) {
    pairs.unfold(tree);
    for (const TreePairs::Node& node : pairs.nodes()) {
      const forest::LabelId label = queries.label(node.subtree);
      const forest::ProductionId leaf =
          queries.set().is_leaf(node.subtree) ? queries.production(node.subtree) : forest::TreeQueries::none;
      for (std::size_t output = 0; output < outputs_; ++output, ++row) {
        if (label != forest::TreeQueries::none) shares[row] += by_label_[label * outputs_ + output];
        if (leaf != forest::TreeQueries::none) shares[row] += by_leaf_[leaf * outputs_ + output];
      }
    }
  }
}

}  // namespace gristmill::explain
