// SPDX-License-Identifier: BSD-3-Clause
#include "forest/subtree_index.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace gristmill::forest {

SubtreeIndex::SubtreeIndex(std::shared_ptr<const Forest> forest, std::span<const NodeId> roots)
    : forest_(std::move(forest)), set_(*forest_, roots) {
  number_labels();
  number_productions();
  rank_subtrees();
  fill_postings();
}

void SubtreeIndex::number_labels() {
  label_of_symbol_.assign(forest_->symbols().size(), none);
  for (SubtreeId id = 0; id < size(); ++id) {
    LabelId& label = label_of_symbol_[set_.label(id)];
    if (label != none) continue;
    label = static_cast<LabelId>(label_marked_.size());
    label_marked_.push_back(forest_->symbols().mark(set_.label(id)) != 0);
  }
}

// Productions come in any order; those of a label are put together.
void SubtreeIndex::number_productions() {
  std::vector<std::uint32_t> key;
  std::vector<std::size_t> sizes;
  production_of_.resize(size());
  for (SubtreeId id = 0; id < size(); ++id) {
    key.assign(1, label_of_symbol_[set_.label(id)]);
    for (const SubtreeId child : set_.children(id)) key.push_back(label_of_symbol_[set_.label(child)]);
    production_of_[id] = production_keys_.intern(key);
    sizes.resize(production_keys_.size());
    ++sizes[production_of_[id]];
  }
  std::vector<std::uint32_t> order(production_keys_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t at) { return production_keys_[at].front(); });
  production_of_key_.resize(order.size());
  Rank begin = 0;
  for (const std::uint32_t at : order) {
    const std::span<const std::uint32_t> found = production_keys_[at];
    const Rank end = begin + static_cast<Rank>(sizes[at]);
    const bool marked = std::ranges::any_of(found, [&](LabelId label) { return is_marked(label); });
    production_of_key_[at] = static_cast<ProductionId>(productions_.size());
    while (label_starts_.size() <= found.front()) label_starts_.push_back(production_of_key_[at]);
    productions_.push_back({found.front(), begin, end, marked, {found.begin() + 1, found.end()}});
    begin = end;
  }
  label_starts_.push_back(static_cast<ProductionId>(productions_.size()));
}

void SubtreeIndex::rank_subtrees() {
  std::vector<Rank> next;
  next.reserve(productions_.size());
  for (const Production& production : productions_) next.push_back(production.begin);
  ranks_.resize(size());
  subtrees_.resize(size());
  for (SubtreeId id = 0; id < size(); ++id) {
    production_of_[id] = production_of_key_[production_of_[id]];
    ranks_[id] = next[production_of_[id]]++;
    subtrees_[ranks_[id]] = id;
  }
}

void SubtreeIndex::fill_postings() {
  posting_starts_.assign(size() + 1, 0);
  for (std::size_t tree = 0; tree < trees(); ++tree) {
    for (const TreeSet::Part& part : set_.parts(tree)) ++posting_starts_[ranks_[part.subtree] + 1];
  }
  std::partial_sum(posting_starts_.begin(), posting_starts_.end(), posting_starts_.begin());
  postings_.resize(posting_starts_.back());
  std::vector<std::size_t> next(posting_starts_.begin(), posting_starts_.end() - 1);
  for (std::size_t tree = 0; tree < trees(); ++tree) {
    for (const TreeSet::Part& part : set_.parts(tree)) {
      postings_[next[ranks_[part.subtree]]++] = {static_cast<std::uint32_t>(tree), part.count};
    }
  }
}

std::size_t SubtreeIndex::nbytes() const noexcept {
  const std::size_t ids = label_of_symbol_.size() + label_starts_.size() + production_of_key_.size() +
                          production_of_.size() + ranks_.size() + subtrees_.size();
  return set_.total_bytes() + production_keys_.nbytes() + productions_.size() * sizeof(Production) +
         ids * sizeof(Rank) + posting_starts_.size() * sizeof(std::size_t) + postings_.size() * sizeof(Posting);
}

}  // namespace gristmill::forest
