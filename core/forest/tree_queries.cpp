// SPDX-License-Identifier: BSD-3-Clause
#include "forest/tree_queries.hpp"

#include "forest/translation.hpp"

namespace gristmill::forest {

TreeQueries::TreeQueries(const SubtreeIndex& index) : set_(&index.set()) {
  for (SubtreeId id = 0; id < index.size(); ++id) {
    labels_.push_back(index.productions()[index.production(id)].label);
    productions_.push_back(index.production(id));
    known_.push_back(id);
  }
  find_shared();
}

TreeQueries::TreeQueries(const SubtreeIndex& index, const Forest& forest, std::span<const NodeId> roots,
                         bool find_known)
    : own_(std::in_place, forest, roots), set_(&*own_) {
  Translation translation(forest, roots.size(), index.forest(), index.set(), index.symbols());
  std::vector<Symbol> symbols;  // of the subtrees, in the index's forest
  std::vector<Symbol> production;
  for (SubtreeId id = 0; id < own_->subtrees(); ++id) {
    const std::span<const SubtreeId> children = own_->children(id);
    symbols.push_back(translation.symbol(own_->label(id)));
    labels_.push_back(index.find_label(symbols.back()));
    production.assign(1, symbols.back());
    for (const SubtreeId child : children) production.push_back(symbols[child]);
    productions_.push_back(labels_.back() == none ? none : index.find_production(production));
    if (!find_known || productions_.back() == none) {
      known_.push_back(none);
    } else if (translation.is_same()) {
      known_.push_back(index.find_subtree(own_->node(id)));
    } else {
      known_.push_back(translation.equal(symbols.back(), children, [&](SubtreeId child) { return known_[child]; }));
    }
  }
  find_shared();
}

void TreeQueries::find_shared() {
  const TreeSet& set = *set_;
  std::vector<bool> seen(set.subtrees(), false);
  shared_.assign(set.subtrees(), false);
  for (std::size_t tree = 0; tree < set.trees(); ++tree) {
    for (const TreeSet::Part& part : set.parts(tree)) {
      shared_[part.subtree] = seen[part.subtree];
      seen[part.subtree] = true;
    }
  }
}

}  // namespace gristmill::forest
