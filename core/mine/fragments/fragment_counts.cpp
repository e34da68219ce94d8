// SPDX-License-Identifier: BSD-3-Clause
#include "mine/fragments/fragment_counts.hpp"

#include <cmath>
#include <utility>

#include "base/stop.hpp"
#include "kernel/trees/with_family.hpp"

namespace gristmill::mine::fragments {
namespace {

using kernel::trees::Semiring;
using kernel::trees::TreeKernel;

// One fragment in all different subtrees of the index, its nodes from below: subtrees of a label, or of a production,
// are neighbours by rank.
class FragmentMatcher {
 public:
  FragmentMatcher(const TreeKernel& kernel, const forest::SubtreeIndex& index, const forest::TreeQueries& fragments,
                  Pulse& pulse)
      : kernel_(kernel), index_(index), fragments_(fragments), pulse_(pulse), rows_(fragments.set().subtrees()) {}

  // visit(rank, embeddings whose root is there)
  template <class Visit>
  void match(std::size_t fragment, Visit visit) {
    const forest::SubtreeId root = fragments_.set().root(fragment);
    if (kernel_.family == TreeKernel::Family::identity) {
      if (fragments_.known(root) != forest::TreeQueries::none) visit(index_.rank(fragments_.known(root)), 1.0);
      return;
    }
    for (const forest::TreeSet::Part& part : fragments_.set().parts(fragment)) match_node(part.subtree);
    const bool leaves_alone = fragments_.set().is_leaf(root) && kernel_.leaves != 0;
    const Row& row = rows_[root];
    for (std::size_t at = 0; at < row.values.size(); ++at) {
      const auto rank = static_cast<forest::SubtreeRank>(row.begin + at);
      if (leaves_alone && !index_.set().is_leaf(index_.subtree(rank))) continue;
      if (row.values[at] != 0) visit(rank, row.values[at]);
    }
  }

 private:
  struct Row {
    forest::SubtreeRank begin = 0;
    std::vector<double> values;
  };

  // Where the node can be found at all.
  [[nodiscard]] std::pair<forest::SubtreeRank, forest::SubtreeRank> range(forest::SubtreeId node) const {
    const bool is_leaf = fragments_.set().is_leaf(node);
    if (kernel_.family == TreeKernel::Family::production && !is_leaf) {
      const forest::ProductionId production = fragments_.production(node);
      if (production == forest::TreeQueries::none) return {0, 0};
      return {index_.productions()[production].begin, index_.productions()[production].end};
    }
    const forest::LabelId label = fragments_.label(node);
    if (label == forest::TreeQueries::none) return {0, 0};
    const std::size_t end =
        label + std::size_t{1} < index_.labels() ? index_.first_production(label + 1) : index_.productions().size();
    return {index_.productions()[index_.first_production(label)].begin, index_.productions()[end - 1].end};
  }

  void match_node(forest::SubtreeId node) {
    const auto [begin, end] = range(node);
    Row& row = rows_[node];
    row.begin = begin;
    row.values.assign(end - begin, 1);
    const std::span<const forest::SubtreeId> children = fragments_.set().children(node);
    pulse_((end - begin) * (children.size() + 1));
    if (children.empty()) return;
    for (forest::SubtreeRank rank = begin; rank < end; ++rank) {
      const std::span<const forest::SubtreeId> others = index_.set().children(index_.subtree(rank));
      row.values[rank - begin] =
          kernel_.family == TreeKernel::Family::production ? product(children, others) : sequence(children, others);
    }
  }

  [[nodiscard]] double value(forest::SubtreeId node, forest::SubtreeId other) const {
    const Row& row = rows_[node];
    const std::size_t at = std::size_t{index_.rank(other)} - row.begin;  // wraps around below the row
    return at < row.values.size() ? row.values[at] : 0;
  }

  // Children of a production that the fragment leaves open match by themselves.
  [[nodiscard]] double product(std::span<const forest::SubtreeId> children,
                               std::span<const forest::SubtreeId> others) const {
    double product = 1;
    for (std::size_t at = 0; at < children.size(); ++at) {
      if (!fragments_.set().is_leaf(children[at])) product *= value(children[at], others[at]);
    }
    return product;
  }

  // All ways to find the children in their order; ended_[j]: those whose last one is j.
  [[nodiscard]] double sequence(std::span<const forest::SubtreeId> children,
                                std::span<const forest::SubtreeId> others) {
    if (children.size() > others.size()) return 0;
    ended_.assign(others.size(), 0);
    for (std::size_t at = 0; at < children.size(); ++at) {
      double before = at == 0 ? 1 : 0;
      for (std::size_t j = 0; j < others.size(); ++j) {
        const double here = before == 0 ? 0 : before * value(children[at], others[j]);
        const double last = std::exchange(ended_[j], here);
        if (at != 0) before = kernel_.gap * before + last;
      }
    }
    double sum = 0;
    for (const double ways : ended_) sum += ways;
    return sum;
  }

  const TreeKernel& kernel_;
  const forest::SubtreeIndex& index_;
  const forest::TreeQueries& fragments_;
  Pulse& pulse_;
  std::vector<Row> rows_;  // per node of fragments
  std::vector<double> ended_;
};

// Fragments that hang from each subtree.
template <class Value>
class FragmentTotals {
 public:
  FragmentTotals(const TreeKernel& kernel, const forest::SubtreeIndex& index)
      : kernel_(kernel), index_(index), totals_(index.size()) {}

  void count(std::span<double> out) {
    std::vector<double> counted(index_.size());
    for (forest::SubtreeId id = 0; id < index_.size(); ++id) counted[id] = count(id);
    for (std::size_t tree = 0; tree < index_.trees(); ++tree) {
      out[tree] = 0;
      for (const forest::TreeSet::Part& part : index_.set().parts(tree))
        out[tree] += part.count * counted[part.subtree];
    }
  }

 private:
  double count(forest::SubtreeId id) {
    const forest::SubtreeIndex::Production& production = index_.productions()[index_.production(id)];
    const bool is_leaf = production.is_leaf();
    const bool is_marked = index_.is_marked(production.label);
    const double alone = (kernel_.single_nodes != 0 && (!kernel_.marked || is_marked) ? 1.0 : 0.0) +
                         (kernel_.leaves != 0 && is_leaf ? 1.0 : 0.0);
    if (kernel_.family == TreeKernel::Family::sequence) {
      const Value own = Semiring<Value>::weight(1, is_marked);
      const Value above = own * subsequences(index_.set().children(id));
      totals_[id] = own + above;
      return alone + Semiring<Value>::counted(kernel_.constants ? totals_[id] : above);
    }
    if (is_leaf) return alone;
    totals_[id] = Semiring<Value>::weight(1, production.marked);
    if (kernel_.family == TreeKernel::Family::production) totals_[id] *= product(index_.set().children(id));
    return alone + Semiring<Value>::counted(totals_[id]);
  }

  // Leaves have no fragments: 1 for a child that is left open.
  [[nodiscard]] Value product(std::span<const forest::SubtreeId> children) const {
    const Value one = Semiring<Value>::one();
    Value product = one;
    for (const forest::SubtreeId child : children) product *= one + totals_[child];
    return product;
  }

  // [length]: those of so many children, and one more, that end before a child, faded; without a limit that matters
  // all lengths are one.
  [[nodiscard]] Value subsequences(std::span<const forest::SubtreeId> children) {
    const bool limited = kernel_.longest != 0 && kernel_.longest < children.size();
    const Value one = Semiring<Value>::one();
    ended_.assign(limited ? kernel_.longest : 1, Value{});
    Value sum{};
    for (const forest::SubtreeId child : children) {
      for (std::size_t length = ended_.size(); length-- > 0;) {
        Value before = length == 0 ? one : ended_[length - 1];
        if (!limited) before += ended_.front();
        const Value here = totals_[child] * before;
        ended_[length] = kernel_.gap * ended_[length] + here;
        sum += here;
      }
    }
    return sum;
  }

  const TreeKernel& kernel_;
  const forest::SubtreeIndex& index_;
  std::vector<Value> totals_;
  std::vector<Value> ended_;
};

}  // namespace

void sum_fragments(const TreeKernel& kernel, const forest::SubtreeIndex& index, const forest::TreeQueries& fragments,
                   const WeightedFragments& weighted, const FragmentSums& out, Observer& observer) {
  Stop stop(observer);
  Pulse pulse(stop, 0);
  FragmentMatcher matcher(kernel, index, fragments, pulse);
  for (std::size_t at = 0; at < weighted.weights.size(); ++at) {
    require(stop, at, weighted.weights.size());
    matcher.match(at, [&](forest::SubtreeRank rank, double embeddings) {
      for (const forest::SubtreeIndex::Posting& posting : index.postings(rank)) {
        const std::size_t place = posting.tree * weighted.n_outputs + weighted.outputs[at];
        const double times = posting.count * embeddings;
        out.coverage[place] += weighted.weights[at] * times;
        out.magnitudes[place] += std::abs(weighted.weights[at]) * times;
        out.embeddings[place] += times;
      }
    });
  }
}

void count_all_fragments(const TreeKernel& kernel, const forest::SubtreeIndex& index, std::span<double> out) {
  kernel::trees::with_family(
      kernel, [&]<class Family>(Family) { FragmentTotals<typename Family::Value>(kernel, index).count(out); });
}

}  // namespace gristmill::mine::fragments
