// SPDX-License-Identifier: BSD-3-Clause
#include "forest/query_graph.hpp"

#include <unordered_map>

namespace gristmill::forest {

// Makes items of nodes, children first.
class QueryGraph::Reader {
 public:
  Reader(QueryGraph& graph, const SupportGraph& support, const Forest& forest, std::size_t trees)
      : graph_(graph),
        support_(support),
        forest_(forest),
        is_same_(&forest == support.forest.get()),
        items_(forest, trees),
        few_symbols_(forest.symbols().size() > few * (trees + 1)) {
    if (!few_symbols_) symbols_.assign(forest.symbols().size(), unknown);
  }

  Item read(NodeId root) {
    for_each_postorder([&](NodeId node) { return forest_.children(node); }, root, stack_,
                       [&](NodeId node) { return find(node) != Forest::none; }, [&](NodeId node) { add(node); });
    return find(root);
  }

 private:
  static constexpr std::size_t few = 64;                // symbols of a tree, roughly
  static constexpr Symbol unknown = Symbols::none - 1;  // not looked for yet

  // The item of a node, or none yet. What the support has need not be read.
  [[nodiscard]] Item find(NodeId node) const {
    if (is_same_) {
      const SubtreeId id = support_.subtrees.find(node);
      if (id != Forest::none) return id;
    }
    return items_.find(node);
  }

  void add(NodeId node) {
    const Symbol label = symbol(forest_.label(node));
    const SubtreeId id = is_same_ ? Forest::none : find_equal(label, node);
    items_.set(node, id == Forest::none ? add_new(label, node) : id);
  }

  // A symbol of the support, or none.
  [[nodiscard]] Symbol symbol(Symbol foreign) {
    if (is_same_) return foreign < support_.symbols ? foreign : Symbols::none;
    Symbol& own = few_symbols_ ? some_symbols_.try_emplace(foreign, unknown).first->second : symbols_[foreign];
    if (own == unknown) {
      own = support_.forest->symbols().find(forest_.symbols().text(foreign), forest_.symbols().mark(foreign));
      if (own >= support_.symbols) own = Symbols::none;
    }
    return own;
  }

  [[nodiscard]] SubtreeId find_equal(Symbol label, NodeId node) {
    if (label == Symbols::none) return Forest::none;
    nodes_.clear();
    for (const NodeId child : forest_.children(node)) {
      const Item item = find(child);
      if (item >= graph_.known_) return Forest::none;
      nodes_.push_back(support_.subtrees.node(item));
    }
    const NodeId own = support_.forest->find(label, nodes_, scratch_);
    return own == Forest::none ? Forest::none : support_.subtrees.find(own);
  }

  Item add_new(Symbol label, NodeId node) {
    key_.assign(1, label);
    for (const NodeId child : forest_.children(node)) {
      const Item item = find(child);
      graph_.children_.push_back(item);
      graph_.is_last_.push_back(false);
      key_.push_back(item < graph_.known_ ? support_.subtrees.label(item) : graph_.labels_[item - graph_.known_]);
    }
    if (key_.size() > 1) graph_.is_last_.back() = true;
    graph_.starts_.push_back(graph_.children_.size());
    graph_.labels_.push_back(label);
    graph_.productions_.push_back(support_.productions.find(key_));
    return static_cast<Item>(graph_.known_ + graph_.labels_.size() - 1);
  }

  QueryGraph& graph_;
  const SupportGraph& support_;
  const Forest& forest_;
  bool is_same_;
  NodeNumbers items_;
  bool few_symbols_;  // are looked at, of many
  std::vector<Symbol> symbols_;
  std::unordered_map<Symbol, Symbol> some_symbols_;
  std::vector<NodeId> nodes_;
  std::vector<std::uint32_t> scratch_;
  std::vector<Symbol> key_;
  std::vector<std::pair<NodeId, std::size_t>> stack_;
};

QueryGraph::QueryGraph(const SupportGraph& support, const Forest& forest, std::span<const NodeId> roots)
    : known_(support.subtrees.subtrees()) {
  Reader reader(*this, support, forest, roots.size());
  roots_.reserve(roots.size());
  for (const NodeId root : roots) roots_.push_back(reader.read(root));
}

}  // namespace gristmill::forest
