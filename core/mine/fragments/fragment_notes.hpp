// SPDX-License-Identifier: BSD-3-Clause
// What a search writes down: the patterns of fragments, and the pairs of trees that have too much in common.
#pragma once
#include "mine/fragments/growth.hpp"
#include "mine/fragments/pair_set.hpp"
#include "mine/fragments/pattern_table.hpp"

namespace gristmill::mine::fragments {

class FragmentNotes {
 public:
  FragmentNotes(const MiningTask& task, PairSet& malicious, PatternTable& patterns, std::size_t worker)
      : task_(task), malicious_(malicious), patterns_(patterns), pulse_(task.stop, worker) {}

  // The trees that have a fragment, ascending; until the next question.
  [[nodiscard]] std::span<const std::uint32_t> trees_of(std::span<const Occurrence> occurrences);
  // Whether all pairs of these trees are malicious, as far as is looked.
  [[nodiscard]] bool are_known(std::span<const std::uint32_t> trees) const {
    const bool looks = !task_.options.rules.max_support || trees.size() <= widest_;
    return looks && malicious_.contains_all(trees);
  }
  // Makes all pairs of the trees that have a fragment malicious.
  void condemn(std::span<const Occurrence> occurrences);

  // Fragments in these places, as many of each size. Some often have the same pattern as those before: they go to the
  // table together, at last by hand_in.
  void note(std::span<const Occurrence> occurrences, std::span<const PatternTable::Share> shares);
  void hand_in();

 private:
  void write_words(std::span<const Occurrence> occurrences);

  const MiningTask& task_;
  PairSet& malicious_;
  PatternTable& patterns_;
  Pulse pulse_;
  std::size_t widest_ = 0;  // trees of a fragment that failed
  std::vector<std::uint32_t> trees_;
  std::vector<std::uint32_t> words_;
  std::vector<std::uint32_t> noted_;         // the pattern of the last fragments,
  std::vector<PatternTable::Share> shares_;  // which are so many of each size
};

}  // namespace gristmill::mine::fragments
