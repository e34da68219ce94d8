// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <functional>

#include "base/parallel.hpp"
#include "base/stop.hpp"
#include "kernel/operator/members.hpp"
#include "kernel/operator/production_items.hpp"
#include "kernel/operator/sequence_items.hpp"
#include "kernel/operator/tree_operator.hpp"
#include "kernel/trees/finish_row.hpp"
#include "kernel/trees/with_family.hpp"
#include "score/trees/list_check.hpp"
#include "score/trees/list_tree.hpp"
#include "score/trees/scorer.hpp"

namespace gristmill::score::trees {
namespace {

using kernel::gram::CompileOptions;
using kernel::gram::Members;
using kernel::gram::OperatorTooLargeError;
using kernel::gram::TreeOperator;
using kernel::trees::TreeKernel;

constexpr std::size_t grain = 64;  // nodes handed to a thread at once

// A visit of a list takes about a tenth of the time of a comparison.
constexpr std::size_t few_visits = 4096;
constexpr std::size_t visits_a_member = 16;

// Which lists there are for SST, K_c and K_c^r, and what their tuples are.
template <class Value>
struct ProductionLists {
  using Items = kernel::gram::ProductionItems<Value>;
  using Facts = typename Items::Facts;

  static Facts facts(const TreeKernel& kernel, const forest::SupportGraph& support) {
    return {support.subtrees, support.productions, kernel.factor};
  }
  static Members members(const forest::SupportGraph& support) {
    return kernel::gram::by_production(support.subtrees, support.productions, false);
  }
  // Items and cells are subtrees.
  static std::size_t items(const Facts& facts) { return facts.self().size(); }
  static Item cell(const Items&, const Members& members, std::uint32_t key) {
    return members[key].empty() ? forest::Productions::none : members[key].front();
  }
  static constexpr bool may_give_up = false;  // there is one way at most to every node of a tree of lists
  static void tuple(const Facts& of, Item item, std::vector<Kind>& kinds, std::vector<Item>& items) {
    kinds.assign(of.children(item).size(), 0);
    items.insert(items.end(), of.children(item).begin(), of.children(item).end());
  }
  static std::uint32_t key(const forest::QueryGraph& queries, std::size_t at) { return queries.production(at); }
};

// The same for PTK, K_lo and K_lo^r.
template <class Value>
struct SequenceLists {
  using Items = kernel::gram::SequenceItems<Value>;
  using Facts = typename Items::Facts;

  static Facts facts(const TreeKernel& kernel, const forest::SupportGraph& support) {
    return {kernel, support.forest->symbols(), support.subtrees};
  }
  static Members members(const forest::SupportGraph& support) {
    return kernel::gram::by_label(support.subtrees, support.forest->symbols().size(),
                                  [](forest::Symbol) { return true; });
  }
  static constexpr bool may_give_up = true;
  static std::size_t items(const Facts& facts) { return facts.cells(); }
  // What cells stand for has the same kinds always, but for the one that is no label's.
  static Item cell(const Items& items, const Members&, std::uint32_t key) {
    return items.counts_alone(key) ? Items::inner : 0;
  }
  static void tuple(const Facts& of, Item item, std::vector<Kind>& kinds, std::vector<Item>& items) {
    kinds.assign(1, Items::all);
    items.push_back(of.chain(item));
  }
  static std::uint32_t key(const forest::QueryGraph& queries, std::size_t at) { return queries.label(at); }
};

template <class Family>
struct ListsOf {
  using Type = ProductionLists<typename Family::Value>;  // ST needs none
};
template <class Value>
struct ListsOf<kernel::trees::SequenceFamily<Value>> {
  using Type = SequenceLists<Value>;
};

struct Weights {
  std::vector<double> folded;  // by subtree and output
  std::vector<double> values;  // of all nodes of a subtree together
};

// By the operator over the support trees.
Weights weigh(const ForestMachine& machine, const TreeOperator& on, Observer& observer) {
  Weights weights{std::vector<double>(on.subtrees() * machine.outputs), {}};
  weights.values = weights.folded;
  std::vector<double> out(machine.roots.size());
  std::vector<double> folded(on.subtrees());
  std::vector<double> values(on.subtrees());
  for (std::size_t output = 0; output < machine.outputs; ++output) {
    std::ranges::fill(values, 0.0);
    on.fold(machine.coef.data() + output, machine.outputs, {}, 1, folded);
    on.apply(folded, 1, values, 1, observer);
    on.gather(values, 1, {}, out.data(), 1);
    for (std::size_t id = 0; id < on.subtrees(); ++id) {
      weights.folded[id * machine.outputs + output] = folded[id];
      weights.values[id * machine.outputs + output] = values[id];
    }
  }
  return weights;
}

template <class Lists>
class ListScorer final : public ForestScorer {
 public:
  ListScorer(const ForestMachine& machine, const TreeOperator& on, const CompileOptions& limits, Observer& observer)
      : kernel_(machine.kernel),
        outputs_(machine.outputs),
        support_{machine.forest, on.graph(), on.productions(), machine.forest->symbols().size()},
        facts_(Lists::facts(kernel_, support_)),
        members_(Lists::members(support_)) {
    const Weights weights = weigh(machine, on, observer);
    tables_.values = Buffer<double>(weights.values);
    if (Lists::may_give_up) tables_.folded = Buffer<double>(weights.folded);
    tables_.labels = Buffer<double>(sum_labels(weights.folded));
    if (kernel_.family != TreeKernel::Family::identity) take_apart(weights.folded, limits, observer);
  }

  // With tables that were made before.
  ListScorer(const ForestMachine& machine, ListTables tables)
      : kernel_(machine.kernel),
        outputs_(machine.outputs),
        support_(read_support(machine)),
        facts_(Lists::facts(kernel_, support_)),
        members_(Lists::members(support_)),
        tables_(std::move(tables)) {
    if (!are_sound()) throw std::invalid_argument("the arrays do not fit together");
  }

  [[nodiscard]] std::size_t outputs() const noexcept override { return outputs_; }
  [[nodiscard]] std::size_t nbytes() const noexcept override {
    std::size_t bytes = support_.subtrees.nbytes() + support_.productions.total_bytes() + members_.nbytes();
    tables_.for_each([&](const char*, const auto& buffer) { bytes += buffer.nbytes(); });
    return bytes;
  }
  [[nodiscard]] const ListTables* tables() const noexcept override { return &tables_; }

  [[nodiscard]] std::unique_ptr<Queries> prepare(const forest::Forest& forest,
                                                 std::span<const forest::NodeId> roots) const override {
    return std::make_unique<Prepared>(support_, forest, roots);
  }

  void score(const Queries& prepared, std::span<double> out, std::size_t threads, Observer& observer) const override {
    const forest::QueryGraph& queries = static_cast<const Prepared&>(prepared).graph;
    std::vector<double> values(queries.size() * outputs_, 0.0);
    const std::size_t trees = queries.roots().size();
    Scaled progress(observer, 0, trees, trees);  // work is done on nodes
    evaluate(queries, values, threads, progress);
    for (std::size_t at = 0; at < queries.size(); ++at) {
      for (const Item child : queries.children(at)) add(value(child, queries, values), values.data() + at * outputs_);
    }
    for (std::size_t tree = 0; tree < queries.roots().size(); ++tree) {
      const double* found = value(queries.roots()[tree], queries, values);
      for (std::size_t output = 0; output < outputs_; ++output) {
        out[tree * outputs_ + output] = found[output];
        if (!std::isfinite(found[output])) kernel::trees::fail_range(tree);
      }
    }
  }

 private:
  using Facts = typename Lists::Facts;
  using Items = typename Lists::Items;
  using Value = typename Facts::Value;
  using Walk = ListTreeWalk<Items>;

  struct Prepared final : Queries {
    Prepared(const forest::SupportGraph& support, const forest::Forest& forest, std::span<const forest::NodeId> roots)
        : graph(support, forest, roots) {}
    forest::QueryGraph graph;
  };

  [[nodiscard]] static forest::SupportGraph read_support(const ForestMachine& machine) {
    forest::SupportGraph support{machine.forest, forest::Subtrees(*machine.forest, machine.roots.size()), {}, 0};
    for (const forest::NodeId root : machine.roots) support.subtrees.add(*machine.forest, root);
    support.productions.add(*machine.forest, support.subtrees);
    support.symbols = machine.forest->symbols().size();
    return support;
  }

  [[nodiscard]] bool are_sound() const {
    const bool has_lists = kernel_.family != TreeKernel::Family::identity;
    const std::size_t labels = kernel_.single_nodes == 0 ? 0 : support_.symbols * outputs_;
    const std::size_t values = support_.subtrees.subtrees() * outputs_;
    if (tables_.values.size() != values || tables_.folded.size() != (Lists::may_give_up ? values : 0) ||
        tables_.labels.size() != labels || tables_.roots.size() != (has_lists ? members_.size() : 0) ||
        tables_.weights.size() % outputs_ != 0) {
      return false;
    }
    if (!has_lists && (!tables_.code.empty() || !tables_.weights.empty())) return false;
    const Items items(facts_);
    ListTreeCheck<Items> check(items, tables_.code.span(), tables_.weights.size() / outputs_, Lists::items(facts_));
    for (std::uint32_t key = 0; key < tables_.roots.size(); ++key) {
      if (tables_.roots[key] == 0) continue;
      if (members_[key].empty()) return false;
      std::vector<Kind> kinds;
      std::vector<Item> tuple;
      Lists::tuple(facts_, members_[key].front(), kinds, tuple);
      const auto cell_of = [&](std::uint32_t group) { return Lists::cell(items, members_, group); };
      if (!check.is_sound(tables_.roots[key], std::move(kinds), cell_of)) return false;
    }
    return true;
  }

  // What nodes count for their label alone.
  [[nodiscard]] std::vector<double> sum_labels(const std::vector<double>& folded) const {
    if (kernel_.single_nodes == 0) return {};
    std::vector<double> sums(support_.symbols * outputs_, 0.0);
    for (forest::SubtreeId id = 0; id < support_.subtrees.subtrees(); ++id) {
      const forest::Symbol label = support_.subtrees.label(id);
      if (kernel_.marked && support_.forest->symbols().mark(label) == 0) continue;
      for (std::size_t output = 0; output < outputs_; ++output) {
        sums[label * outputs_ + output] += kernel_.single_nodes * folded[id * outputs_ + output];
      }
    }
    return sums;
  }

  void take_apart(const std::vector<double>& folded, const CompileOptions& limits, Observer& observer) {
    std::vector<std::uint32_t> roots(members_.size(), 0);
    ListTree tree;
    ListTreeBuilder<Items> builder(Items(facts_), outputs_, tree);
    Stop stop(observer);
    Pulse pulse(stop, 0);
    std::size_t steps_taken = 0;
    const kernel::gram::Watch watch = [&](std::size_t steps, std::size_t waiting_bytes) {
      pulse(steps);
      steps_taken += steps;
      if (steps_taken > limits.max_steps) throw OperatorTooLargeError::steps();
      limits.check_bytes(tree.nbytes(), waiting_bytes);
    };
    for (std::uint32_t key = 0; key < members_.size(); ++key) {
      const std::span<const forest::SubtreeId> ids = members_[key];
      if (ids.empty()) continue;
      kernel::gram::TupleList<Value> list;
      list.rows = ids.size();
      std::vector<double> weights;
      for (const forest::SubtreeId id : ids) {
        Lists::tuple(facts_, id, list.kinds, list.items);
        weights.insert(weights.end(), folded.begin() + static_cast<std::ptrdiff_t>(id * outputs_),
                       folded.begin() + static_cast<std::ptrdiff_t>((id + 1) * outputs_));
      }
      roots[key] = builder.add(std::move(list), std::move(weights), kernel_.constants, watch);
    }
    tree.code.shrink_to_fit();
    tree.weights.shrink_to_fit();
    tables_.code = Buffer<std::uint32_t>(std::move(tree.code));
    tables_.weights = Buffer<double>(std::move(tree.weights));
    tables_.roots = Buffer<std::uint32_t>(std::move(roots));
  }

  // values[node] of the queries = what it counts with all subtrees of the support.
  void evaluate(const forest::QueryGraph& queries, std::span<double> values, std::size_t threads,
                Observer& observer) const {
    const Facts facts = facts_.with(queries);
    Stop stop(observer);
    std::vector<std::unique_ptr<Walk>> walks(threads_for(queries.size(), grain, threads));
    parallel_for(queries.size(), grain, threads, stop, [&](std::size_t begin, std::size_t end, std::size_t number) {
      if (!walks[number])
        walks[number] = std::make_unique<Walk>(Items(facts), tables_.code.span(), tables_.weights.span(), outputs_);
      Pulse pulse(stop, number);
      walks[number]->items().set_watch([&pulse](std::size_t steps, std::size_t) { pulse(steps); });
      std::vector<Kind> kinds;
      std::vector<Item> tuple;
      for (std::size_t at = begin; at < end; ++at) {
        double* out = values.data() + at * outputs_;
        const forest::Symbol label = queries.label(at);
        if (!tables_.labels.empty() && label != forest::Symbols::none)
          add(tables_.labels.data() + label * outputs_, out);
        const std::uint32_t key = Lists::key(queries, at);
        if (key >= tables_.roots.size() || tables_.roots[key] == 0) continue;
        tuple.clear();
        Lists::tuple(facts, static_cast<Item>(queries.known() + at), kinds, tuple);
        const std::size_t most =
            Lists::may_give_up ? few_visits + visits_a_member * members_[key].size() : SIZE_MAX / 2;
        if (!walks[number]->add(tables_.roots[key], facts_.weight(key), kinds, tuple, most, out)) {
          compare(key, tuple.front(), walks[number]->items(), out, pulse);
        }
        pulse(walks[number]->take_work());
      }
    });
  }

  // One by one with all subtrees of a label: where nodes have many children with the same labels, there are more ways
  // to choose some of them than anyone can walk.
  void compare(std::uint32_t key, Item chain, Items& items, double* out, Pulse& pulse) const {
    if constexpr (Lists::may_give_up) {
      std::fill(out, out + outputs_, 0.0);
      for (const forest::SubtreeId id : members_[key]) {
        const Item own = facts_.chain(id);
        const Value shared = kernel_.constants ? items.pair(Items::all, own, chain) : items.below(own, chain);
        const double counted = kernel::trees::Semiring<Value>::counted(facts_.weight(key) * shared);
        for (std::size_t output = 0; output < outputs_; ++output) {
          out[output] += counted * tables_.folded[id * outputs_ + output];
        }
        pulse(items.take_work());
      }
    }
  }

  [[nodiscard]] const double* value(Item item, const forest::QueryGraph& queries,
                                    const std::vector<double>& values) const {
    if (item < queries.known()) return tables_.values.data() + item * outputs_;
    return values.data() + (item - queries.known()) * outputs_;
  }
  void add(const double* from, double* to) const {
    for (std::size_t output = 0; output < outputs_; ++output) to[output] += from[output];
  }

  TreeKernel kernel_;
  std::size_t outputs_;
  forest::SupportGraph support_;
  Facts facts_;
  Members members_;
  ListTables tables_;
};

}  // namespace

std::unique_ptr<ForestScorer> make_list_scorer(const ForestMachine& machine, const CompileOptions& limits,
                                               Observer& observer) {
  const TreeOperator on(machine.kernel, *machine.forest, machine.roots, limits, observer);
  return kernel::trees::with_family(machine.kernel, [&]<class Family>(Family) -> std::unique_ptr<ForestScorer> {
    return std::make_unique<ListScorer<typename ListsOf<Family>::Type>>(machine, on, limits, observer);
  });
}

std::unique_ptr<ForestScorer> restore_list_scorer(const ForestMachine& machine, ListTables tables) {
  return kernel::trees::with_family(machine.kernel, [&]<class Family>(Family) -> std::unique_ptr<ForestScorer> {
    return std::make_unique<ListScorer<typename ListsOf<Family>::Type>>(machine, std::move(tables));
  });
}

}  // namespace gristmill::score::trees
