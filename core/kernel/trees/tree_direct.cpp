// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/trees/tree_direct.hpp"

#include <algorithm>
#include <utility>

#include "base/parallel.hpp"
#include "base/stop.hpp"
#include "kernel/trees/finish_row.hpp"
#include "kernel/trees/identity_deltas.hpp"
#include "kernel/trees/subsequence_table.hpp"
#include "kernel/trees/with_family.hpp"

namespace gristmill::kernel::trees {
namespace {

using Family = TreeKernel::Family;

// One tree of the queries (left) with one of the index (right).
template <class Value>
class PairKernel {
 public:
  PairKernel(const TreeKernel& kernel, const forest::SubtreeIndex& index, const forest::TreeQueries& queries,
             const PairSearch& search)
      : kernel_(kernel),
        search_(search),
        index_(index),
        queries_(queries),
        rows_(queries.set().subtrees()),
        parents_(queries.set().subtrees(), 0),
        place_(index.size(), 0) {}

  double operator()(std::size_t query, std::size_t tree, Pulse& pulse) {
    pulse_ = &pulse;
    const forest::TreeSet& lefts = queries_.set();
    order_right(tree);
    for (const forest::TreeSet::Part& part : lefts.parts(query)) {
      for (const forest::SubtreeId child : lefts.children(part.subtree)) ++parents_[child];
    }
    double sum = 0;
    for (const forest::TreeSet::Part& part : lefts.parts(query)) {
      pulse(right_.size());
      sum += part.count * row(part.subtree);
      for (const forest::SubtreeId child : lefts.children(part.subtree)) {
        if (--parents_[child] == 0) release(child);
      }
    }
    release(lefts.root(query));
    return sum;
  }

 private:
  // Nodes of the right tree by label, so that only pairs with equal labels need be looked at.
  void order_right(std::size_t tree) {
    right_.clear();
    for (const forest::TreeSet::Part& part : index_.set().parts(tree)) right_.push_back(part);
    std::ranges::stable_sort(right_, {}, [&](const forest::TreeSet::Part& part) { return label_of(part.subtree); });
    for (std::size_t at = 0; at < right_.size(); ++at) place_[right_[at].subtree] = static_cast<std::uint32_t>(at);
  }

  [[nodiscard]] std::span<const forest::TreeSet::Part> right_of(forest::LabelId label) const {
    const auto label_at = [&](const forest::TreeSet::Part& part) { return label_of(part.subtree); };
    return {std::ranges::lower_bound(right_, label, {}, label_at),
            std::ranges::upper_bound(right_, label, {}, label_at)};
  }

  // Delta of one left node with all right ones of its label; returns what they count together.
  double row(forest::SubtreeId left) {
    const forest::LabelId label = queries_.label(left);
    if (label == forest::TreeQueries::none) return 0;
    const std::span<const forest::TreeSet::Part> same = search_.lookup ? right_of(label) : right_;
    if (same.empty()) return 0;
    Row& row = rows_[left];
    if (!spare_.empty()) {
      row.values = std::move(spare_.back());
      spare_.pop_back();
    }
    row.begin = static_cast<std::uint32_t>(same.data() - right_.data());
    row.values.assign(same.size(), {});
    double sum = 0;
    for (std::size_t at = 0; at < same.size(); ++at) {
      const forest::TreeSet::Part& right = same[at];
      if (!search_.lookup && label_of(right.subtree) != label) continue;
      const Value above = above_constant(left, right.subtree);
      const Value constant = constant_of(left, right.subtree);
      row.values[at] = constant + above;
      const double counted = Semiring<Value>::counted(above) +
                             (kernel_.constants ? Semiring<Value>::counted(constant) : 0.0) +
                             extra(left, right.subtree);
      sum += right.count * counted;
    }
    return sum;
  }

  void release(forest::SubtreeId left) {
    if (rows_[left].values.capacity() == 0) return;
    spare_.push_back(std::move(rows_[left].values));
    rows_[left].values = {};
  }

  [[nodiscard]] Value delta(forest::SubtreeId left, forest::SubtreeId right) const {
    return rows_[left].values[place_[right] - rows_[left].begin];
  }

  [[nodiscard]] bool same_production(forest::SubtreeId left, forest::SubtreeId right) const {
    if (queries_.set().is_leaf(left)) return false;
    if (search_.production_ids) return queries_.production(left) == index_.production(right);
    return std::ranges::equal(
        queries_.set().children(left), index_.set().children(right), {},
        [&](forest::SubtreeId child) { return queries_.label(child); },
        [&](forest::SubtreeId child) { return label_of(child); });
  }

  // Pairs of leaves and of labels that count by themselves.
  [[nodiscard]] double extra(forest::SubtreeId left, forest::SubtreeId right) const {
    const bool counts = !kernel_.marked || index_.is_marked(queries_.label(left));
    const bool leaves = queries_.set().is_leaf(left) && index_.set().is_leaf(right);
    return (counts ? kernel_.single_nodes : 0.0) + (leaves ? kernel_.leaves : 0.0);
  }

  [[nodiscard]] Value constant_of(forest::SubtreeId left, forest::SubtreeId right) const {
    if (kernel_.family == Family::sequence) {
      const bool is_terminal = queries_.set().is_leaf(left) || index_.set().is_leaf(right);
      return Semiring<Value>::weight(kernel_.constant(is_terminal), index_.is_marked(queries_.label(left)));
    }
    if (kernel_.family == Family::identity || !same_production(left, right)) return {};
    return Semiring<Value>::weight(kernel_.factor, index_.productions()[queries_.production(left)].marked);
  }

  // What Delta is above its constant.
  [[nodiscard]] Value above_constant(forest::SubtreeId left, forest::SubtreeId right) {
    if (kernel_.family == Family::sequence) {
      return Semiring<Value>::weight(kernel_.factor, index_.is_marked(queries_.label(left))) *
             subsequences(queries_.set().children(left), index_.set().children(right));
    }
    if (!same_production(left, right)) return {};
    return kernel_.family == Family::identity ? identity(left, right) : constant_of(left, right) * product(left, right);
  }

  [[nodiscard]] Value identity(forest::SubtreeId left, forest::SubtreeId right) const {
    Value value = Semiring<Value>::plain(kernel_.factor);
    const std::span<const forest::SubtreeId> others = index_.set().children(right);
    for (std::size_t at = 0; at < others.size(); ++at) {
      const forest::SubtreeId child = queries_.set().children(left)[at];
      const bool leaf = queries_.set().is_leaf(child);
      if (leaf != index_.set().is_leaf(others[at])) return {};
      if (!leaf) value *= delta(child, others[at]);
    }
    return value;
  }

  // prod (1 + Delta of the children) - 1, without subtracting.
  [[nodiscard]] Value product(forest::SubtreeId left, forest::SubtreeId right) const {
    const Value one = Semiring<Value>::one();
    Value above{};
    const std::span<const forest::SubtreeId> others = index_.set().children(right);
    for (std::size_t at = 0; at < others.size(); ++at) {
      const forest::SubtreeId child = queries_.set().children(left)[at];
      if (!queries_.set().is_leaf(child)) above += delta(child, others[at]) * (one + above);
    }
    return above;
  }

  // sum over equally long subsequences, left child by left child, the longer ones first.
  [[nodiscard]] Value subsequences(std::span<const forest::SubtreeId> lefts,
                                   std::span<const forest::SubtreeId> rights) {
    table_.start(kernel_, lefts.size(), rights.size(), kernel_.longest);
    Value total{};
    for (const forest::SubtreeId left : lefts) {
      (*pulse_)(table_.row_steps());
      Value found{};
      for (std::size_t length = table_.lengths(); length-- > 0;) found += end_with(left, rights, length);
      table_.next_row();
      total += found;
    }
    return total;
  }

  // Subsequences of one length that end with this left child.
  [[nodiscard]] Value end_with(forest::SubtreeId left, std::span<const forest::SubtreeId> rights, std::size_t length) {
    const forest::LabelId label = queries_.label(left);
    Value sum{};
    table_.end_row(
        length, Semiring<Value>::plain(table_.may_begin(length) ? kernel_.first : 0.0),
        [&](std::size_t j) { return label_of(rights[j]) == label; },
        [&](std::size_t j) { return delta(left, rights[j]); },
        [&](std::size_t, const Value&, const Value& here) { sum += here; });
    return sum;
  }

  [[nodiscard]] forest::LabelId label_of(forest::SubtreeId right) const {
    return index_.productions()[index_.production(right)].label;
  }

  struct Row {
    std::uint32_t begin = 0;  // among the right nodes
    std::vector<Value> values;
  };

  const TreeKernel& kernel_;
  const PairSearch& search_;
  const forest::SubtreeIndex& index_;
  const forest::TreeQueries& queries_;
  std::vector<Row> rows_;               // per left subtree, while a parent may need it
  std::vector<std::uint32_t> parents_;  // per left subtree, still to come
  std::vector<std::uint32_t> place_;    // of a right subtree
  std::vector<forest::TreeSet::Part> right_;
  std::vector<std::vector<Value>> spare_;
  SubsequenceTable<Value> table_;
  Pulse* pulse_ = nullptr;
};

template <class Value, class Out>
void for_pairs(const TreeKernel& kernel, const forest::SubtreeIndex& index, const forest::TreeQueries& queries,
               const PairSearch& search, std::size_t threads, Observer& observer, Out out) {
  const std::size_t trees = queries.set().trees();
  Stop stop(observer);
  std::vector<std::unique_ptr<PairKernel<Value>>> pairs(threads_for(trees, 1, threads));
  parallel_for(trees, 1, threads, stop, [&](std::size_t begin, std::size_t end, std::size_t worker) {
    if (!pairs[worker]) pairs[worker] = std::make_unique<PairKernel<Value>>(kernel, index, queries, search);
    Pulse pulse(stop, worker);
    for (std::size_t query = begin; query < end; ++query) {
      out(query, [&](std::size_t tree) { return (*pairs[worker])(query, tree, pulse); });
    }
  });
}

template <class Out>
void for_pairs(const TreeKernel& kernel, const forest::SubtreeIndex& index, const forest::TreeQueries& queries,
               const PairSearch& search, std::size_t threads, Observer& observer, Out out) {
  with_family(kernel, [&]<class Of>(Of) {
    for_pairs<typename Of::Value>(kernel, index, queries, search, threads, observer, out);
  });
}

// Equal subtrees of one tree have one number: K(t, t) is a sum of squares of counts.
void identity_diagonal(const TreeKernel& kernel, const forest::SubtreeIndex& index, std::span<double> out) {
  const IdentityDeltas deltas(kernel, index);
  for (std::size_t tree = 0; tree < index.trees(); ++tree) {
    out[tree] = 0;
    for (const forest::TreeSet::Part& part : index.set().parts(tree)) {
      if (index.set().is_leaf(part.subtree)) continue;
      out[tree] += static_cast<double>(part.count) * part.count * deltas.weight(part.subtree);
    }
  }
}

}  // namespace

void direct_gram(const TreeKernel& kernel, const forest::SubtreeIndex& index, const forest::TreeQueries& queries,
                 std::span<double> out, std::size_t threads, Observer& observer, const PairSearch& search) {
  for_pairs(kernel, index, queries, search, threads, observer, [&](std::size_t query, auto value) {
    const std::span<double> row = out.subspan(query * index.trees(), index.trees());
    for (std::size_t tree = 0; tree < index.trees(); ++tree) row[tree] = value(tree);
    finish_row(query, row, {}, {});
  });
}

void direct_diagonal(const TreeKernel& kernel, const forest::SubtreeIndex& index, std::span<double> out,
                     std::size_t threads, Observer& observer) {
  if (kernel.family == Family::identity) return identity_diagonal(kernel, index, out);
  const forest::TreeQueries queries(index);
  for_pairs(kernel, index, queries, {}, threads, observer,
            [&](std::size_t query, auto value) { out[query] = value(query); });
}

void direct_pairs(const TreeKernel& kernel, const forest::SubtreeIndex& index, std::span<const std::size_t> starts,
                  std::span<const std::uint32_t> others, std::span<double> out, std::size_t threads,
                  Observer& observer) {
  const forest::TreeQueries queries(index);
  for_pairs(kernel, index, queries, {}, threads, observer, [&](std::size_t query, auto value) {
    for (std::size_t at = starts[query]; at < starts[query + 1]; ++at) out[at] = value(others[at]);
  });
}

}  // namespace gristmill::kernel::trees
