// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/trees/match_cache.hpp"

#include <algorithm>
#include <bit>

namespace gristmill::kernel::trees {
namespace {

constexpr std::size_t last_bit = 63;  // stands for all positions from there on

// Appends pairs until it is clear that they are too many to be listed; false if there are none.
bool list_pairs(std::span<const forest::LabelId> labels, const std::vector<std::uint64_t>& positions,
                std::vector<ChildMatch>& pairs) {
  const std::size_t limit = pairs.size() + Matches::most + 1;
  const std::size_t before = pairs.size();
  for (std::uint32_t right = 0; right < labels.size() && pairs.size() < limit; ++right) {
    for (std::uint64_t bits = positions[labels[right]]; bits != 0; bits &= bits - 1) {
      const auto left = static_cast<std::uint32_t>(std::countr_zero(bits));
      if (left == last_bit) pairs.resize(std::max(pairs.size(), limit));  // who has so many children is no short list
      if (left < last_bit) pairs.push_back({left, right});
    }
  }
  return pairs.size() > before;
}

}  // namespace

MatchFinder::MatchFinder(const forest::SubtreeIndex& index) : index_(index) {
  for (const auto& production : index.productions()) {
    std::uint64_t found = 0;
    for (const forest::LabelId label : production.children) found |= signature(label);
    signatures_.push_back(found);
    labels_.add(production.children);
  }
}

Matches MatchFinder::find(forest::LabelId label, std::span<const forest::LabelId> labels,
                          std::vector<std::uint64_t>& positions) const {
  std::uint64_t wanted = 0;
  for (std::size_t left = 0; left < labels.size(); ++left) {
    if (labels[left] == forest::SubtreeIndex::none) continue;
    wanted |= signature(labels[left]);
    positions[labels[left]] |= std::uint64_t{1} << std::min(left, last_bit);
  }
  Matches found;
  for (forest::ProductionId p = index_.first_production(label); p < index_.first_production(label + 1); ++p) {
    if ((signatures_[p] & wanted) == 0) continue;
    const std::size_t before = found.pairs.size();
    if (!list_pairs(labels_[p], positions, found.pairs)) continue;
    if (found.pairs.size() - before > Matches::most) found.pairs.resize(before);
    found.productions.push_back(p);
    found.starts.push_back(before);
  }
  found.starts.push_back(found.pairs.size());
  for (const forest::LabelId one : labels) {
    if (one != forest::SubtreeIndex::none) positions[one] = 0;
  }
  return found;
}

}  // namespace gristmill::kernel::trees
