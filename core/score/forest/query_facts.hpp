// SPDX-License-Identifier: BSD-3-Clause
// Items of support trees and of queries alike: what lists ask for, answered for both.
#pragma once
#include "operator/production_items.hpp"
#include "operator/sequence_items.hpp"
#include "score/forest/query_graph.hpp"

namespace gristmill {

template <class V>
class ProductionQueryFacts {
 public:
  using Value = V;

  ProductionQueryFacts(const ProductionFacts<Value>& support, const QueryGraph& queries)
      : support_(support), queries_(queries) {}

  [[nodiscard]] std::size_t productions() const noexcept { return support_.productions(); }
  [[nodiscard]] ProductionId production(Item item) const noexcept {
    return item < queries_.known() ? support_.production(item) : queries_.production(item - queries_.known());
  }
  [[nodiscard]] std::span<const Item> children(Item item) const noexcept {
    return item < queries_.known() ? support_.children(item) : queries_.children(item - queries_.known());
  }
  [[nodiscard]] Value weight(ProductionId production) const { return support_.weight(production); }
  [[nodiscard]] const std::vector<Value>& self() const noexcept { return support_.self(); }

 private:
  const ProductionFacts<Value>& support_;
  const QueryGraph& queries_;
};

// Sequences of children of a query are cells beyond those of the support, one for each child.
template <class V>
class SequenceQueryFacts {
 public:
  using Value = V;

  SequenceQueryFacts(const SequenceFacts<Value>& support, const QueryGraph& queries)
      : support_(support), queries_(queries) {}

  [[nodiscard]] const TreeKernel& kernel() const noexcept { return support_.kernel(); }
  [[nodiscard]] std::size_t labels() const noexcept { return support_.labels(); }
  [[nodiscard]] Item chain(Item node) const noexcept {
    if (node < queries_.known()) return support_.chain(node);
    const std::size_t at = node - queries_.known();
    return queries_.children(at).empty() ? 0 : static_cast<Item>(support_.cells() + queries_.first_link(at));
  }
  [[nodiscard]] Item head(Item cell) const noexcept {
    return cell < support_.cells() ? support_.head(cell) : queries_.child(cell - support_.cells());
  }
  [[nodiscard]] Item tail(Item cell) const noexcept {
    if (cell < support_.cells()) return support_.tail(cell);
    return queries_.is_last(cell - support_.cells()) ? 0 : cell + 1;
  }
  [[nodiscard]] Symbol label(Item node) const noexcept {
    return node < queries_.known() ? support_.label(node) : queries_.label(node - queries_.known());
  }
  [[nodiscard]] Value weight(Symbol label) const { return support_.weight(label); }

 private:
  const SequenceFacts<Value>& support_;
  const QueryGraph& queries_;
};

}  // namespace gristmill
