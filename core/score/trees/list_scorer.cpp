// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "base/stop.hpp"
#include "kernel/operator/members.hpp"
#include "kernel/operator/tree_operator.hpp"
#include "kernel/trees/finish_row.hpp"
#include "score/trees/list_check.hpp"
#include "score/trees/list_tree.hpp"
#include "score/trees/query_facts.hpp"
#include "score/trees/scorer.hpp"

namespace gristmill::score::trees {
namespace {

constexpr std::size_t grain = 64;  // nodes handed to a thread at once

// A visit of a list takes about a tenth of the time of a comparison.
constexpr std::size_t few_visits = 4096;
constexpr std::size_t visits_a_member = 16;

// Which lists there are for SST, K_c and K_c^r, and what their tuples are.
template <class Value>
struct ProductionFamily {
  using Facts = kernel::gram::ProductionFacts<Value>;
  using QueryFacts = ProductionQueryFacts<Value>;
  template <class F>
  using Items = kernel::gram::ProductionItems<F>;

  static Facts facts(const kernel::trees::TreeKernel& kernel, const forest::SupportGraph& support) {
    return {support.subtrees, support.productions, kernel.factor};
  }
  static kernel::gram::Members members(const forest::SupportGraph& support) {
    return kernel::gram::by_production(support.subtrees, support.productions, false);
  }
  // Items and cells are subtrees.
  static std::size_t items(const Facts& facts) { return facts.self().size(); }
  static kernel::gram::Item cell(const kernel::gram::Members& members, std::uint32_t key) {
    return members[key].empty() ? forest::Productions::none : members[key].front();
  }
  static constexpr bool may_give_up = false;  // there is one way at most to every node of a tree of lists
  template <class F>
  static void tuple(const F& of, kernel::gram::Item item, std::vector<kernel::gram::Kind>& kinds,
                    std::vector<kernel::gram::Item>& items) {
    kinds.assign(of.children(item).size(), 0);
    items.insert(items.end(), of.children(item).begin(), of.children(item).end());
  }
  static std::uint32_t key(const forest::QueryGraph& queries, std::size_t at) { return queries.production(at); }
};

// The same for PTK, K_lo and K_lo^r.
template <class Value>
struct SequenceFamily {
  using Facts = kernel::gram::SequenceFacts<Value>;
  using QueryFacts = SequenceQueryFacts<Value>;
  template <class F>
  using Items = kernel::gram::SequenceItems<F>;

  static Facts facts(const kernel::trees::TreeKernel& kernel, const forest::SupportGraph& support) {
    return {kernel, support.forest->symbols(), support.subtrees};
  }
  static kernel::gram::Members members(const forest::SupportGraph& support) {
    return kernel::gram::by_label(support.subtrees, support.forest->symbols().size(),
                                  [](forest::Symbol) { return true; });
  }
  static constexpr bool may_give_up = true;
  static std::size_t items(const Facts& facts) { return facts.cells(); }
  static kernel::gram::Item cell(const kernel::gram::Members&, std::uint32_t) {
    return 0;
  }  // what a cell stands for has the same kinds always
  template <class F>
  static void tuple(const F& of, kernel::gram::Item item, std::vector<kernel::gram::Kind>& kinds,
                    std::vector<kernel::gram::Item>& items) {
    kinds.assign(1, Items<F>::all);
    items.push_back(of.chain(item));
  }
  static std::uint32_t key(const forest::QueryGraph& queries, std::size_t at) { return queries.label(at); }
};

// Work is done on nodes, but reported in trees.
class TreesDone final : public Observer {
 public:
  TreesDone(Observer& observer, std::size_t trees) : observer_(observer), trees_(trees) {}
  bool advance(std::size_t done, std::size_t total) override {
    const double part = total == 0 ? 1.0 : static_cast<double>(done) / static_cast<double>(total);
    return observer_.advance(done == total ? trees_ : static_cast<std::size_t>(part * static_cast<double>(trees_)),
                             trees_);
  }

 private:
  Observer& observer_;
  std::size_t trees_;
};

struct Weights {
  std::vector<double> folded;  // by subtree and output
  std::vector<double> values;  // of all nodes of a subtree together
};

// By the operator over the support trees.
Weights weigh(const ForestMachine& machine, const kernel::gram::TreeOperator& on, Observer& observer) {
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

template <class Family>
class ListScorer final : public ForestScorer {
 public:
  ListScorer(const ForestMachine& machine, const kernel::gram::TreeOperator& on,
             const kernel::gram::CompileOptions& limits, Observer& observer)
      : kernel_(machine.kernel),
        outputs_(machine.outputs),
        support_{machine.forest, on.graph(), on.productions(), machine.forest->symbols().size()},
        facts_(Family::facts(kernel_, support_)),
        members_(Family::members(support_)) {
    const Weights weights = weigh(machine, on, observer);
    tables_.values = Buffer<double>(weights.values);
    if (Family::may_give_up) tables_.folded = Buffer<double>(weights.folded);
    tables_.labels = Buffer<double>(sum_labels(weights.folded));
    if (kernel_.family != kernel::trees::TreeKernel::Family::identity) take_apart(weights.folded, limits, observer);
  }

  // With tables that were made before.
  ListScorer(const ForestMachine& machine, ListTables tables)
      : kernel_(machine.kernel),
        outputs_(machine.outputs),
        support_(read_support(machine)),
        facts_(Family::facts(kernel_, support_)),
        members_(Family::members(support_)),
        tables_(std::move(tables)) {
    if (!are_sound()) throw std::invalid_argument("the arrays do not fit together");
  }

  [[nodiscard]] std::size_t outputs() const noexcept override { return outputs_; }
  [[nodiscard]] std::size_t nbytes() const noexcept override {
    std::size_t bytes = support_.subtrees.nbytes() + support_.productions.nbytes() + members_.nbytes();
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
    TreesDone progress(observer, queries.roots().size());
    evaluate(queries, values, threads, progress);
    for (std::size_t at = 0; at < queries.size(); ++at) {
      for (const kernel::gram::Item child : queries.children(at))
        add(value(child, queries, values), values.data() + at * outputs_);
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
  using Facts = typename Family::Facts;
  using QueryFacts = typename Family::QueryFacts;
  using Value = typename Facts::Value;
  using Walk = ListTreeWalk<typename Family::template Items<QueryFacts>>;

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
    using Items = typename Family::template Items<Facts>;
    const bool has_lists = kernel_.family != kernel::trees::TreeKernel::Family::identity;
    const std::size_t labels = kernel_.single_nodes == 0 ? 0 : support_.symbols * outputs_;
    const std::size_t values = support_.subtrees.subtrees() * outputs_;
    if (tables_.values.size() != values || tables_.folded.size() != (Family::may_give_up ? values : 0) ||
        tables_.labels.size() != labels || tables_.roots.size() != (has_lists ? members_.size() : 0) ||
        tables_.weights.size() % outputs_ != 0) {
      return false;
    }
    if (!has_lists && (!tables_.code.empty() || !tables_.weights.empty())) return false;
    const Items items(facts_);
    ListTreeCheck<Items> check(items, tables_.code.span(), tables_.weights.size() / outputs_, Family::items(facts_));
    for (std::uint32_t key = 0; key < tables_.roots.size(); ++key) {
      if (tables_.roots[key] == 0) continue;
      if (members_[key].empty()) return false;
      std::vector<kernel::gram::Kind> kinds;
      std::vector<kernel::gram::Item> tuple;
      Family::tuple(facts_, members_[key].front(), kinds, tuple);
      const auto cell_of = [&](std::uint32_t group) { return Family::cell(members_, group); };
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

  void take_apart(const std::vector<double>& folded, const kernel::gram::CompileOptions& limits, Observer& observer) {
    using Items = typename Family::template Items<Facts>;
    std::vector<std::uint32_t> roots(members_.size(), 0);
    ListTree tree;
    ListTreeBuilder<Items> builder(Items(facts_), outputs_, tree);
    Stop stop(observer);
    std::size_t steps_taken = 0;
    const auto watch = [&](std::size_t steps) {
      stop.poll(0, steps);
      steps_taken += steps;
      if (steps_taken > limits.max_steps) throw kernel::gram::OperatorTooLargeError::steps();
      if (tree.nbytes() > limits.max_bytes) throw kernel::gram::OperatorTooLargeError::bytes(limits.max_bytes);
    };
    for (std::uint32_t key = 0; key < members_.size(); ++key) {
      const std::span<const forest::SubtreeId> ids = members_[key];
      if (ids.empty()) continue;
      kernel::gram::TupleList<Value> list;
      list.rows = ids.size();
      std::vector<double> weights;
      for (const forest::SubtreeId id : ids) {
        Family::tuple(facts_, id, list.kinds, list.items);
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
    const QueryFacts facts(facts_, queries);
    Stop stop(observer);
    std::vector<std::unique_ptr<Walk>> walks(threads_for(queries.size(), grain, threads));
    parallel_for(queries.size(), grain, threads, stop, [&](std::size_t begin, std::size_t end, std::size_t number) {
      using Items = typename Family::template Items<QueryFacts>;
      if (!walks[number])
        walks[number] = std::make_unique<Walk>(Items(facts), tables_.code.span(), tables_.weights.span(), outputs_);
      walks[number]->items().set_poll([&stop, number](std::size_t steps) { stop.poll(number, steps); });
      std::vector<kernel::gram::Kind> kinds;
      std::vector<kernel::gram::Item> tuple;
      for (std::size_t at = begin; at < end; ++at) {
        double* out = values.data() + at * outputs_;
        const forest::Symbol label = queries.label(at);
        if (!tables_.labels.empty() && label != forest::Symbols::none)
          add(tables_.labels.data() + label * outputs_, out);
        const std::uint32_t key = Family::key(queries, at);
        if (key >= tables_.roots.size() || tables_.roots[key] == 0) continue;
        tuple.clear();
        Family::tuple(facts, static_cast<kernel::gram::Item>(queries.known() + at), kinds, tuple);
        const std::size_t most =
            Family::may_give_up ? few_visits + visits_a_member * members_[key].size() : SIZE_MAX / 2;
        if (!walks[number]->add(tables_.roots[key], facts_.weight(key), kinds, tuple, most, out)) {
          compare(key, tuple.front(), walks[number]->items(), out,
                  [&](std::size_t steps) { stop.poll(number, steps); });
        }
        stop.poll(number, walks[number]->take_work());
      }
    });
  }

  // One by one with all subtrees of a label: where nodes have many children with the same labels, there are more ways
  // to choose some of them than anyone can walk.
  template <class Items, class Poll>
  void compare(std::uint32_t key, kernel::gram::Item chain, Items& items, double* out, Poll poll) const {
    if constexpr (Family::may_give_up) {
      std::fill(out, out + outputs_, 0.0);
      for (const forest::SubtreeId id : members_[key]) {
        const kernel::gram::Item own = facts_.chain(id);
        const Value shared = kernel_.constants ? items.pair(Items::all, own, chain) : items.below(own, chain);
        const double counted = kernel::trees::Semiring<Value>::counted(facts_.weight(key) * shared);
        for (std::size_t output = 0; output < outputs_; ++output) {
          out[output] += counted * tables_.folded[id * outputs_ + output];
        }
        poll(items.take_work());
      }
    }
  }

  [[nodiscard]] const double* value(kernel::gram::Item item, const forest::QueryGraph& queries,
                                    const std::vector<double>& values) const {
    if (item < queries.known()) return tables_.values.data() + item * outputs_;
    return values.data() + (item - queries.known()) * outputs_;
  }
  void add(const double* from, double* to) const {
    for (std::size_t output = 0; output < outputs_; ++output) to[output] += from[output];
  }

  kernel::trees::TreeKernel kernel_;
  std::size_t outputs_;
  forest::SupportGraph support_;
  Facts facts_;
  kernel::gram::Members members_;
  ListTables tables_;
};

// make.template operator()<Family>()
template <class Make>
std::unique_ptr<ForestScorer> with_family(const kernel::trees::TreeKernel& kernel, Make make) {
  if (kernel.family == kernel::trees::TreeKernel::Family::sequence) {
    return kernel.marked ? make.template operator()<SequenceFamily<kernel::trees::MarkedValue>>()
                         : make.template operator()<SequenceFamily<double>>();
  }
  return kernel.marked ? make.template operator()<ProductionFamily<kernel::trees::MarkedValue>>()
                       : make.template operator()<ProductionFamily<double>>();
}

}  // namespace

std::unique_ptr<ForestScorer> make_list_scorer(const ForestMachine& machine, const kernel::gram::CompileOptions& limits,
                                               Observer& observer) {
  const kernel::gram::TreeOperator on(machine.kernel, *machine.forest, machine.roots, limits, observer);
  return with_family(machine.kernel, [&]<class Family>() -> std::unique_ptr<ForestScorer> {
    return std::make_unique<ListScorer<Family>>(machine, on, limits, observer);
  });
}

std::unique_ptr<ForestScorer> restore_list_scorer(const ForestMachine& machine, ListTables tables) {
  return with_family(machine.kernel, [&]<class Family>() -> std::unique_ptr<ForestScorer> {
    return std::make_unique<ListScorer<Family>>(machine, std::move(tables));
  });
}

}  // namespace gristmill::score::trees
