// SPDX-License-Identifier: BSD-3-Clause
#include "mine/fragments/state_search.hpp"

#include <algorithm>
#include <utility>

namespace gristmill::mine::fragments {
namespace {

std::uint64_t hash_of(const Fragment& fragment, std::span<const Occurrence> places) {
  std::uint64_t hash = 2 * std::uint64_t{fragment.depth} + (fragment.marked ? 1 : 0);
  for (const Occurrence& place : places) {
    hash = (hash ^ (std::uint64_t{place.embeddings} << 32U | place.node)) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 32U;
  }
  return hash;
}

}  // namespace

StateSearch::StateSearch(const MiningTask& task, FragmentNotes& notes, std::size_t worker)
    : task_(task), notes_(notes), growth_(task, worker), stride_(task.options.max_size + 1) {}

void StateSearch::run(const Placed& root) {
  wide_.push_back(root);
  while (!wide_.empty()) {
    const Placed next = std::move(wide_.back());
    wide_.pop_back();
    if (next.occurrences.size() > widest) {
      visit(next);
    } else {
      sweep(next);
    }
  }
}

void StateSearch::visit(const Placed& wide) {
  if (!grow(wide.fragment, wide.occurrences)) return;
  const PatternTable::Share itself{wide.fragment.symbols, 1};
  if (wide.fragment.marked || !task_.needs_mark) notes_.note(wide.occurrences, {&itself, 1});
  for (const SharedExtension& extension : extensions_.all) {
    const std::span<const Occurrence> found = extensions_.of(extension);
    wide_.push_back({growth_.grown(wide.fragment, extension), {found.begin(), found.end()}});
  }
}

// In the order of their places, so that a state has met all its fragments when its turn comes.
void StateSearch::sweep(const Placed& root) {
  if (is_too_large(task_.options, root.fragment)) return notes_.condemn(root.occurrences);
  sizes_of(find_or_add(root.fragment, root.occurrences))[root.fragment.symbols] = 1;
  while (!turns_.empty()) {
    const auto next = static_cast<StateId>(turns_.top());
    turns_.pop();
    visit(next);
  }
  clear();
}

void StateSearch::visit(StateId id) {
  if (!grow(states_[id].fragment, places_of(states_[id]))) return;
  if (states_[id].fragment.marked || !task_.needs_mark) note(id);
  for (const SharedExtension& extension : extensions_.all) extend(id, extension);
}

bool StateSearch::grow(const Fragment& fragment, std::span<const Occurrence> places) {
  const std::span<const std::uint32_t> trees = notes_.trees_of(places);
  if (task_.options.rules.known_pairs && notes_.are_known(trees)) return false;
  ++searched_;
  const auto support = static_cast<std::uint32_t>(trees.size());
  const bool fails = is_too_large(task_.options, fragment) || is_too_rare(task_.options, support);
  if (!fails && growth_.grow(fragment, places, support, extensions_)) return true;
  notes_.condemn(places);
  return false;
}

void StateSearch::note(StateId id) {
  const double* sizes = sizes_of(id);
  shares_.clear();
  for (std::uint32_t size = 0; size < stride_; ++size) {
    if (sizes[size] != 0) shares_.push_back({size, sizes[size]});
  }
  notes_.note(places_of(states_[id]), shares_);
}

// Every fragment of the state has grown by a symbol.
void StateSearch::extend(StateId id, const SharedExtension& extension) {
  const Fragment largest = growth_.grown(states_[id].fragment, extension);
  const std::span<const Occurrence> found = extensions_.of(extension);
  if (is_too_large(task_.options, largest)) return notes_.condemn(found);
  const StateId next = find_or_add(largest, found);
  std::uint32_t& nodes = states_[next].fragment.nodes;
  nodes = std::max(nodes, largest.nodes);
  const double* smaller = sizes_of(id);
  double* sizes = sizes_of(next);
  for (std::size_t size = 1; size < stride_; ++size) sizes[size] += smaller[size - 1];
}

// --- the states of a sweep -------------------------------------------------------------------------------------------

auto StateSearch::find_or_add(const Fragment& fragment, std::span<const Occurrence> places) -> StateId {
  const std::uint64_t hash = hash_of(fragment, places);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask; slots_[at].id != none; at = (at + 1) & mask) {
    if (slots_[at].tag != hash >> 32U) continue;
    const State& state = states_[slots_[at].id];
    if (state.fragment.depth == fragment.depth && state.fragment.marked == fragment.marked &&
        std::ranges::equal(places_of(state), places)) {
      return slots_[at].id;
    }
  }
  return add(fragment, places, hash);
}

auto StateSearch::add(const Fragment& fragment, std::span<const Occurrence> places, std::uint64_t hash) -> StateId {
  const auto id = static_cast<StateId>(states_.size());
  if (id % 4096 == 4095) check_memory();
  states_.push_back({fragment, hash, places_.size(), places.size()});
  places_.insert(places_.end(), places.begin(), places.end());
  sizes_.resize(sizes_.size() + stride_, 0.0);
  turns_.push(std::uint64_t{places.front().node} << 32U | id);
  if (2 * states_.size() > slots_.size()) {
    slots_.assign(2 * slots_.size(), Slot{});
    for (StateId one = 0; one < id; ++one) set_slot(one);
  }
  set_slot(id);
  return id;
}

void StateSearch::set_slot(StateId id) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = states_[id].hash & mask;
  while (slots_[at].id != none) at = (at + 1) & mask;
  slots_[at] = {static_cast<std::uint32_t>(states_[id].hash >> 32U), id};
}

void StateSearch::check_memory() const {
  if (states_.size() == none) task_.budget.fail();
  task_.budget.check(states_.size() * sizeof(State) + places_.size() * sizeof(Occurrence) +
                     sizes_.size() * sizeof(double) + slots_.size() * sizeof(Slot));
}

// Slots are emptied from where a state may stand to the end of its neighbours: the table may be much larger than a
// sweep.
void StateSearch::clear() {
  const std::size_t mask = slots_.size() - 1;
  for (const State& state : states_) {
    for (std::size_t at = state.hash & mask; slots_[at].id != none; at = (at + 1) & mask) slots_[at] = {};
  }
  states_.clear();
  places_.clear();
  sizes_.clear();
}

}  // namespace gristmill::mine::fragments
