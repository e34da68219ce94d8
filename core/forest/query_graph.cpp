// SPDX-License-Identifier: BSD-3-Clause
#include "forest/query_graph.hpp"

#include "forest/translation.hpp"

namespace gristmill::forest {

// Gives nodes their numbers, children first.
class QueryGraph::Reader {
 public:
  Reader(QueryGraph& graph, const SupportGraph& support, const Forest& forest, std::size_t trees)
      : graph_(graph),
        support_(support),
        forest_(forest),
        translation_(forest, trees, *support.forest, support.subtrees, support.symbols),
        numbers_(forest, trees) {}

  SubtreeId read(NodeId root) {
    for_each_postorder([&](NodeId node) { return forest_.children(node); }, root, stack_,
                       [&](NodeId node) { return find(node) != Forest::none; }, [&](NodeId node) { add(node); });
    return find(root);
  }

 private:
  // The number of a node, or none yet. What the support has need not be read.
  [[nodiscard]] SubtreeId find(NodeId node) const {
    if (translation_.is_same()) {
      const SubtreeId id = support_.subtrees.find(node);
      if (id != Forest::none) return id;
    }
    return numbers_.find(node);
  }

  void add(NodeId node) {
    const Symbol label = translation_.symbol(forest_.label(node));
    const std::span<const NodeId> children = forest_.children(node);
    const SubtreeId id = translation_.is_same()
                             ? Forest::none
                             : translation_.equal(label, children, [&](NodeId child) { return find(child); });
    numbers_.set(node, id == Forest::none ? add_new(label, children) : id);
  }

  SubtreeId add_new(Symbol label, std::span<const NodeId> children) {
    key_.assign(1, label);
    for (const NodeId node : children) {
      const SubtreeId child = find(node);
      graph_.children_.push(child);
      graph_.is_last_.push_back(false);
      key_.push_back(child < graph_.known_ ? support_.subtrees.label(child) : graph_.labels_[child - graph_.known_]);
    }
    if (!children.empty()) graph_.is_last_.back() = true;
    graph_.children_.close();
    graph_.labels_.push_back(label);
    graph_.productions_.push_back(support_.productions.find(key_));
    return static_cast<SubtreeId>(graph_.known_ + graph_.labels_.size() - 1);
  }

  QueryGraph& graph_;
  const SupportGraph& support_;
  const Forest& forest_;
  Translation translation_;
  NodeNumbers numbers_;
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
