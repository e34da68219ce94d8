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
  std::vector<Symbol> symbols(own_->subtrees());  // in the index's forest
  std::vector<Symbol> production;
  for (std::vector<std::uint32_t>* list : {&labels_, &productions_, &known_}) list->assign(own_->subtrees(), none);
  for (SubtreeId id = 0; id < own_->subtrees(); ++id) {
    const std::span<const SubtreeId> children = own_->children(id);
    symbols[id] = translation.symbol(own_->label(id));
    labels_[id] = index.find_label(symbols[id]);
    if (labels_[id] == none) continue;
    production.resize(children.size() + 1);
    production[0] = symbols[id];
    for (std::size_t at = 0; at < children.size(); ++at) production[at + 1] = symbols[children[at]];
    productions_[id] = index.find_production(production);
    if (!find_known || productions_[id] == none) continue;
    known_[id] = translation.is_same()
                     ? index.find_subtree(own_->node(id))
                     : translation.equal(symbols[id], children, [&](SubtreeId child) { return known_[child]; });
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
