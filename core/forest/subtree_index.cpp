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
  postings_ = find_postings();
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

// Stably by label: productions of a label stay in their order of arrival.
void SubtreeIndex::number_productions() {
  std::vector<SubtreeRank> sizes;
  production_of_.resize(size());
  for (SubtreeId id = 0; id < size(); ++id) {
    production_of_[id] = arrived_.intern(*forest_, set_, id);
    sizes.resize(arrived_.size());
    ++sizes[production_of_[id]];
  }
  const auto label_of = [&](Symbol symbol) { return label_of_symbol_[symbol]; };
  std::vector<ProductionId> order(arrived_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](ProductionId at) { return label_of(arrived_.symbols(at).front()); });
  place_of_.resize(order.size());
  SubtreeRank begin = 0;
  for (const ProductionId at : order) {
    const auto symbols = arrived_.symbols(at);
    const LabelId label = label_of(symbols.front());
    std::vector<LabelId> children(symbols.size() - 1);
    std::ranges::transform(symbols.subspan(1), children.begin(), label_of);
    const SubtreeRank end = begin + sizes[at];
    place_of_[at] = static_cast<ProductionId>(productions_.size());
    while (label_starts_.size() <= label) label_starts_.push_back(place_of_[at]);
    productions_.push_back({label, begin, end, arrived_.is_marked(at), std::move(children)});
    begin = end;
  }
  label_starts_.push_back(static_cast<ProductionId>(productions_.size()));
}

void SubtreeIndex::rank_subtrees() {
  std::vector<SubtreeRank> next;
  next.reserve(productions_.size());
  for (const Production& production : productions_) next.push_back(production.begin);
  ranks_.resize(size());
  subtrees_.resize(size());
  for (SubtreeId id = 0; id < size(); ++id) {
    production_of_[id] = place_of_[production_of_[id]];
    ranks_[id] = next[production_of_[id]]++;
    subtrees_[ranks_[id]] = id;
  }
}

Lists<SubtreeIndex::Posting> SubtreeIndex::find_postings() const {
  return Lists<Posting>::grouped(size(), [&](auto visit) {
    for (std::size_t tree = 0; tree < trees(); ++tree) {
      for (const TreeSet::Part& part : set_.parts(tree)) {
        visit(ranks_[part.subtree], Posting{static_cast<std::uint32_t>(tree), part.count});
      }
    }
  });
}

std::size_t SubtreeIndex::nbytes() const noexcept {
  const std::size_t ids = label_of_symbol_.size() + label_starts_.size() + place_of_.size() + production_of_.size() +
                          ranks_.size() + subtrees_.size();
  return set_.total_bytes() + arrived_.nbytes() + productions_.size() * sizeof(Production) + ids * sizeof(SubtreeRank) +
         postings_.nbytes();
}

}  // namespace gristmill::forest
