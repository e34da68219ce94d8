// SPDX-License-Identifier: BSD-3-Clause
#include "forest/tree_queries.hpp"

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
  const bool same = &forest == &index.forest();
  const Symbols& known_symbols = index.forest().symbols();
  std::vector<Symbol> symbols(forest.symbols().size(), none);  // of the index's forest
  std::vector<NodeId> nodes(own_->subtrees(), none);           // of the index's forest
  std::vector<std::uint32_t> key;
  std::vector<std::uint32_t> scratch;
  for (SubtreeId id = 0; id < own_->subtrees(); ++id) {
    const Symbol symbol = own_->label(id);
    if (symbols[symbol] == none) {
      symbols[symbol] =
          same ? symbol : known_symbols.find(forest.symbols().text(symbol), forest.symbols().mark(symbol));
    }
    const LabelId label = symbols[symbol] == none ? none : index.find_label(symbols[symbol]);
    labels_.push_back(label);
    key.assign(1, label);
    for (const SubtreeId child : own_->children(id)) key.push_back(labels_[child]);
    productions_.push_back(label == none ? none : index.find_production(key));
    if (!find_known) {
      known_.push_back(none);
      continue;
    }
    if (same) {
      nodes[id] = own_->node(id);
    } else if (productions_.back() != none) {
      key.clear();
      bool all = true;
      for (const SubtreeId child : own_->children(id)) {
        all = all && nodes[child] != none;
        key.push_back(nodes[child]);
      }
      if (all) nodes[id] = index.forest().find(symbols[symbol], key, scratch);
    }
    known_.push_back(nodes[id] == none ? none : index.find_subtree(nodes[id]));
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
