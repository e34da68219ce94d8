// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/operator/program_groups.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/parallel.hpp"
#include "base/stop.hpp"
#include "kernel/operator/compiler.hpp"
#include "kernel/operator/members.hpp"
#include "kernel/operator/production_items.hpp"
#include "kernel/operator/sequence_items.hpp"
#include "kernel/trees/identity_deltas.hpp"
#include "kernel/trees/with_family.hpp"

namespace gristmill::kernel::gram {
namespace {

constexpr std::size_t group_members = 4096;  // small productions are put together up to about so many subtrees

// Which keys are to be compiled together. ProgramGroups without new subtrees stay where they are.
std::vector<std::vector<std::uint32_t>> plan_groups(const Members& members, std::size_t known, ProgramGroups& groups) {
  std::vector<std::vector<std::uint32_t>> plan;
  std::vector<bool> has_group(members.size(), false);
  std::erase_if(groups, [&](const std::shared_ptr<const ProgramGroup>& group) {
    for (const std::uint32_t key : group->keys) has_group[key] = true;
    const bool is_old = std::ranges::any_of(group->keys, [&](auto key) { return members[key].back() >= known; });
    if (is_old) plan.push_back(group->keys);
    return is_old;
  });
  std::size_t room = 0;
  for (std::uint32_t key = 0; key < members.size(); ++key) {
    const std::size_t size = members[key].size();
    if (has_group[key] || size == 0) continue;
    if (room < size) {
      plan.emplace_back();
      room = group_members;
    }
    plan.back().push_back(key);
    room -= std::min(room, size);
  }
  return plan;
}

// What may be spent on all groups together. Whether it is enough does not depend on who comes first: bytes of a group
// count when it is done, and before that for itself.
class CompileBudget {
 public:
  CompileBudget(const CompileOptions& options, std::size_t used) : options_(options), base_(used), bytes_(used) {
    options_.check_bytes(used, 0);
  }
  // By one group since, which has so many bytes now, and so many of lists that wait.
  void spend(std::size_t steps, std::size_t bytes, std::size_t waiting_bytes) {
    if (steps_.fetch_add(steps, std::memory_order_relaxed) + steps > options_.max_steps)
      throw OperatorTooLargeError::steps();
    options_.check_bytes(base_ + bytes, waiting_bytes);
  }
  void finish(std::size_t bytes) {
    options_.check_bytes(bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes, 0);
  }

 private:
  CompileOptions options_;
  std::size_t base_;
  std::atomic<std::size_t> bytes_;
  std::atomic<std::size_t> steps_{0};
};

// Makes the program of a group. It remembers nothing of others: steps must not depend on who does what.
using CompileGroup = std::function<void(ProgramGroup& group, const Watch& watch)>;

std::size_t compile_groups(const GroupSource& source, const Members& members, const CompileOptions& options,
                           ProgramGroups& groups, Observer& observer, const CompileGroup& compile) {
  std::vector<std::vector<std::uint32_t>> plan = plan_groups(members, source.known, groups);
  const auto size_of = [&](const std::vector<std::uint32_t>& keys) {
    return std::transform_reduce(keys.begin(), keys.end(), std::size_t{0}, std::plus<>(),
                                 [&](std::uint32_t key) { return members[key].size(); });
  };
  std::ranges::stable_sort(plan, std::ranges::greater(), size_of);
  std::size_t used = source.used_bytes;
  for (const auto& group : groups) used += group->program.nbytes();
  CompileBudget budget(options, used);
  Stop stop(observer);
  ProgramGroups made(plan.size());
  parallel_for(plan.size(), 1, options.threads, stop, [&](std::size_t at, std::size_t, std::size_t number) {
    Pulse pulse(stop, number);
    auto group = std::make_shared<ProgramGroup>();
    group->keys = plan[at];
    group->members = size_of(plan[at]);
    compile(*group, [&](std::size_t steps, std::size_t waiting_bytes) {
      pulse(steps);
      budget.spend(steps, group->program.nbytes(), waiting_bytes);
    });
    group->program.shrink();
    budget.finish(group->program.nbytes());
    made[at] = std::move(group);
  });
  std::size_t compiled = 0;
  for (const auto& group : made) compiled += group->members;
  groups.insert(groups.end(), made.begin(), made.end());
  std::ranges::stable_sort(groups, std::ranges::greater(), [](const auto& group) { return group->program.nbytes(); });
  return compiled;
}

template <class Value>
void check_range(const std::vector<Value>& self) {
  for (forest::SubtreeId id = 0; id < self.size(); ++id) {
    if (!trees::Semiring<Value>::is_finite(self[id])) throw SubtreeRange(id);
  }
}

// ST: a subtree has nothing in common with others.
std::size_t update_family(trees::IdentityFamily, const GroupSource& source, const CompileOptions& options,
                          ProgramGroups& groups, Observer& observer) {
  const std::vector<double> self = trees::identity_weights(source.kernel, source.subtrees);
  check_range(self);
  const Members members = by_production(source.subtrees, source.productions, false);
  return compile_groups(source, members, options, groups, observer, [&](ProgramGroup& group, const Watch&) {
    ProgramWriter writer(group.program);
    const ProgramWriter::Opened opened = writer.open_pick(group.members, Program::whole);
    writer.step(Program::diagonal, {0, group.members});
    std::size_t at = 0;
    for (const std::uint32_t key : group.keys) {
      for (const forest::SubtreeId id : members[key]) {
        writer.put_place(opened, Program::whole, at++, id);
        writer.coef(self[id]);
      }
    }
    writer.close(opened);
  });
}

// The subtrees of a group, shorter lists first.
std::vector<forest::SubtreeId> sort_keys(const Members& members, ProgramGroup& group) {
  std::ranges::stable_sort(group.keys, {}, [&](std::uint32_t key) { return members[key].size(); });
  std::vector<forest::SubtreeId> places;
  for (const std::uint32_t key : group.keys) {
    places.insert(places.end(), members[key].begin(), members[key].end());
  }
  return places;
}

template <class Value>
std::size_t update_family(trees::ProductionFamily<Value>, const GroupSource& source, const CompileOptions& options,
                          ProgramGroups& groups, Observer& observer) {
  const ProductionFacts<Value> facts(source.subtrees, source.productions, source.kernel.factor);
  check_range(facts.self());
  const Members members = by_production(source.subtrees, source.productions, source.kernel.leaves != 0);
  return compile_groups(source, members, options, groups, observer, [&](ProgramGroup& group, const Watch& watch) {
    std::vector<forest::SubtreeId> places = sort_keys(members, group);
    std::vector<TupleList<Value>> lists;
    for (const std::uint32_t key : group.keys) {
      const std::span<const forest::SubtreeId> ids = members[key];
      const bool is_leaf = source.subtrees.is_leaf(ids.front());
      const double factor = is_leaf ? source.kernel.leaves : source.kernel.factor;
      TupleList<Value> list{facts.weight(key, factor), ids.size(), {}, {}};
      list.kinds.resize(source.subtrees.children(ids.front()).size());
      for (const forest::SubtreeId id : ids) {
        const std::span<const forest::SubtreeId> children = source.subtrees.children(id);
        list.items.insert(list.items.end(), children.begin(), children.end());
      }
      lists.push_back(std::move(list));
    }
    ListCompiler compiler{ProductionItems<Value>(facts)};
    compiler.compile(std::move(lists), places, true, group.program, watch);
  });
}

// Some numbers of a program are too large: so is Delta of some subtree with itself.
template <class Value>
[[noreturn]] void fail_at_first(const GroupSource& source, const SequenceFacts<Value>& facts) {
  SequenceItems<Value> items(facts);
  forest::SubtreeId id = 0;
  const auto is_finite = [&](forest::SubtreeId at) {
    return trees::Semiring<Value>::is_finite(facts.weight(facts.label(at)) * items.same(items.all, facts.chain(at)));
  };
  while (id + 1 < source.subtrees.subtrees() && is_finite(id)) ++id;
  throw SubtreeRange(id);
}

template <class Value>
std::size_t update_family(trees::SequenceFamily<Value>, const GroupSource& source, const CompileOptions& options,
                          ProgramGroups& groups, Observer& observer) {
  using Items = SequenceItems<Value>;
  const SequenceFacts<Value> facts(source.kernel, source.forest.symbols(), source.subtrees);
  const Members members =
      by_label(source.subtrees, source.forest.symbols().size(), [](forest::Symbol) { return true; });
  const auto compile = [&](ProgramGroup& group, const Watch& watch) {
    std::vector<forest::SubtreeId> places = sort_keys(members, group);
    std::vector<TupleList<Value>> lists;
    for (const std::uint32_t key : group.keys) {
      const std::span<const forest::SubtreeId> ids = members[key];
      TupleList<Value> list{facts.weight(key), ids.size(), {Items::all}, {}};
      for (const forest::SubtreeId id : ids) list.items.push_back(facts.chain(id));
      lists.push_back(std::move(list));
    }
    ListCompiler compiler{Items(facts)};
    compiler.compile(std::move(lists), places, source.kernel.constants, group.program, watch);
    const auto is_finite = [](double coef) { return std::isfinite(coef); };
    if (!std::ranges::all_of(group.program.coefs, is_finite)) throw SubtreeRange(forest::Forest::none);
  };
  try {
    return compile_groups(source, members, options, groups, observer, compile);
  } catch (const SubtreeRange&) {
    fail_at_first(source, facts);
  }
}

}  // namespace

std::size_t update_deltas(const GroupSource& source, const CompileOptions& options, ProgramGroups& groups,
                          Observer& observer) {
  return trees::with_family(source.kernel, [&]<class Family>(Family family) {
    return update_family(family, source, options, groups, observer);
  });
}

ProgramGroups label_groups(const GroupSource& source) {
  ProgramGroups groups;
  if (source.kernel.single_nodes == 0) return groups;
  const Members members = by_label(source.subtrees, source.forest.symbols().size(), [&](forest::Symbol label) {
    return !source.kernel.marked || source.forest.symbols().mark(label) != 0;
  });
  for (std::uint32_t key = 0; key < members.size(); ++key) {
    const std::span<const forest::SubtreeId> ids = members[key];
    if (ids.empty()) continue;
    auto group = std::make_shared<ProgramGroup>(ProgramGroup{{key}, ids.size(), {}});
    ProgramWriter writer(group->program);
    const ProgramWriter::Opened opened = writer.open_pick(ids.size(), Program::whole);
    for (std::size_t at = 0; at < ids.size(); ++at) writer.put_place(opened, Program::whole, at, ids[at]);
    writer.step(Program::same);
    writer.coef(source.kernel.single_nodes);
    writer.close(opened);
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace gristmill::kernel::gram
