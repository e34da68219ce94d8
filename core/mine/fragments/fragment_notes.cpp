// SPDX-License-Identifier: BSD-3-Clause
#include "mine/fragments/fragment_notes.hpp"

#include <algorithm>

namespace gristmill::mine::fragments {

std::span<const std::uint32_t> FragmentNotes::trees_of(std::span<const Occurrence> occurrences) {
  trees_.clear();
  for (const Occurrence& occurrence : occurrences) {
    task_.trees.expect(occurrence.node);
    const std::uint32_t tree = task_.trees.tree(occurrence.node);
    if (trees_.empty() || trees_.back() != tree) trees_.push_back(tree);
  }
  return trees_;
}

void FragmentNotes::condemn(std::span<const Occurrence> occurrences) {
  const std::span<const std::uint32_t> trees = trees_of(occurrences);
  widest_ = std::max(widest_, trees.size());
  for (std::size_t j = 1; j < trees.size(); ++j) {
    pulse_(j);
    for (std::size_t i = 0; i < j; ++i) {
      if (!malicious_.contains(trees[i], trees[j])) task_.budget.take(malicious_.add(trees[i], trees[j]));
    }
  }
}

void FragmentNotes::note(std::span<const Occurrence> occurrences, std::span<const PatternTable::Share> shares) {
  write_words(occurrences);
  if (words_ != noted_ || !patterns_.compresses()) hand_in();
  noted_.swap(words_);
  for (const PatternTable::Share& share : shares) {
    const auto known = std::ranges::find(shares_, share.size, &PatternTable::Share::size);
    if (known != shares_.end()) {
      known->fragments += share.fragments;
    } else {
      shares_.push_back(share);
    }
  }
}

void FragmentNotes::write_words(std::span<const Occurrence> occurrences) {
  words_.clear();
  for (std::size_t at = 0; at < occurrences.size();) {
    const std::uint32_t tree = task_.trees.tree(occurrences[at].node);
    std::uint32_t count = 0;
    while (at < occurrences.size() && task_.trees.tree(occurrences[at].node) == tree) {
      count += occurrences[at++].embeddings;
    }
    pattern_words::write(words_, tree, count);
  }
}

void FragmentNotes::hand_in() {
  if (!shares_.empty()) patterns_.add(noted_, shares_);
  shares_.clear();
}

}  // namespace gristmill::mine::fragments
