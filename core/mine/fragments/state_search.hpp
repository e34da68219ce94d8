// SPDX-License-Identifier: BSD-3-Clause
// The same search by states. Fragments whose last nodes stand in the same places, as often, grow alike: they are one
// state, with how many of them there are of each size, and it is grown once. FREQTM looks at every fragment; on parse
// trees that is ten times as much, and more where trees have more in common.
//
// An extension stands behind what it extends, in every tree. So states are visited in the order of their first place:
// when its turn comes, all fragments of a state have been found. Fragments with very many places are searched one by
// one, so that the states that grow from each of them stay in the cache.
// Cost: as of a fragment search, for every state; memory for the states of one sweep.
#pragma once
#include <queue>

#include "base/large_pages.hpp"
#include "mine/fragments/fragment_notes.hpp"

namespace gristmill::mine::fragments {

class StateSearch {
 public:
  StateSearch(const MiningTask& task, FragmentNotes& notes, std::size_t worker);

  // Whether it can be used: states count fragments by size, and fragments that are kept apart have none in common.
  [[nodiscard]] static bool suits(const MiningOptions& options) noexcept {
    return options.rules.same_places && options.compress && options.rules.size_limit && options.max_size <= 512;
  }

  // All fragments that grow from one.
  void run(const Placed& root);

  [[nodiscard]] std::size_t searched() const noexcept { return searched_; }  // states

 private:
  using StateId = std::uint32_t;
  static constexpr StateId none = UINT32_MAX;
  static constexpr std::size_t widest = 4096;  // places of a fragment from which a sweep starts

  struct Slot {
    std::uint32_t tag = 0;  // half of the hash: most states are told apart without looking at them
    StateId id = none;
  };
  struct State {
    Fragment fragment;  // the largest; symbols do not matter
    std::uint64_t hash;
    std::size_t begin;  // of its places
    std::size_t size;
  };

  void visit(const Placed& wide);
  void sweep(const Placed& root);
  void visit(StateId id);
  // Fills extensions_; false if there is nothing more to be found here.
  [[nodiscard]] bool grow(const Fragment& fragment, std::span<const Occurrence> places);
  void note(StateId id);
  void extend(StateId id, const SharedExtension& extension);

  [[nodiscard]] StateId find_or_add(const Fragment& fragment, std::span<const Occurrence> places);
  [[nodiscard]] StateId add(const Fragment& fragment, std::span<const Occurrence> places, std::uint64_t hash);
  [[nodiscard]] std::span<const Occurrence> places_of(const State& state) const {
    return std::span(places_).subspan(state.begin, state.size);
  }
  [[nodiscard]] double* sizes_of(StateId id) { return sizes_.data() + id * stride_; }
  void set_slot(StateId id);
  void check_memory() const;
  void clear();

  const MiningTask& task_;
  FragmentNotes& notes_;
  Growth growth_;
  SharedExtensions extensions_;
  std::vector<Placed> wide_;  // to be searched one by one, depth first
  LargeVector<State> states_;
  LargeVector<Occurrence> places_;
  std::size_t stride_;
  LargeVector<double> sizes_;  // of each state: fragments by their number of symbols
  LargeVector<Slot> slots_ = LargeVector<Slot>(64);
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> turns_;  // first place and state
  std::vector<PatternTable::Share> shares_;
  std::size_t searched_ = 0;
};

}  // namespace gristmill::mine::fragments
