// SPDX-License-Identifier: BSD-3-Clause
// Items of support trees and of queries alike: what lists ask for, answered for both.
#pragma once
#include "forest/query_graph.hpp"
#include "kernel/operator/production_items.hpp"
#include "kernel/operator/sequence_items.hpp"

namespace gristmill::score::trees {

template <class V>
class ProductionQueryFacts {
 public:
  using Value = V;

  ProductionQueryFacts(const kernel::gram::ProductionFacts<Value>& support, const forest::QueryGraph& queries)
      : support_(support), queries_(queries) {}

  [[nodiscard]] std::size_t productions() const noexcept { return support_.productions(); }
  [[nodiscard]] forest::ProductionId production(kernel::gram::Item item) const noexcept {
    return item < queries_.known() ? support_.production(item) : queries_.production(item - queries_.known());
  }
  [[nodiscard]] std::span<const kernel::gram::Item> children(kernel::gram::Item item) const noexcept {
    return item < queries_.known() ? support_.children(item) : queries_.children(item - queries_.known());
  }
  [[nodiscard]] Value weight(forest::ProductionId production) const { return support_.weight(production); }
  [[nodiscard]] const std::vector<Value>& self() const noexcept { return support_.self(); }

 private:
  const kernel::gram::ProductionFacts<Value>& support_;
  const forest::QueryGraph& queries_;
};

// Sequences of children of a query are cells beyond those of the support, one for each child.
template <class V>
class SequenceQueryFacts {
 public:
  using Value = V;

  SequenceQueryFacts(const kernel::gram::SequenceFacts<Value>& support, const forest::QueryGraph& queries)
      : support_(support), queries_(queries) {}

  [[nodiscard]] const kernel::trees::TreeKernel& kernel() const noexcept { return support_.kernel(); }
  [[nodiscard]] std::size_t labels() const noexcept { return support_.labels(); }
  [[nodiscard]] kernel::gram::Item chain(kernel::gram::Item node) const noexcept {
    if (node < queries_.known()) return support_.chain(node);
    const std::size_t at = node - queries_.known();
    return queries_.children(at).empty() ? 0
                                         : static_cast<kernel::gram::Item>(support_.cells() + queries_.first_link(at));
  }
  [[nodiscard]] kernel::gram::Item head(kernel::gram::Item cell) const noexcept {
    return cell < support_.cells() ? support_.head(cell) : queries_.child(cell - support_.cells());
  }
  [[nodiscard]] kernel::gram::Item tail(kernel::gram::Item cell) const noexcept {
    if (cell < support_.cells()) return support_.tail(cell);
    return queries_.is_last(cell - support_.cells()) ? 0 : cell + 1;
  }
  [[nodiscard]] forest::Symbol label(kernel::gram::Item node) const noexcept {
    return node < queries_.known() ? support_.label(node) : queries_.label(node - queries_.known());
  }
  [[nodiscard]] Value weight(forest::Symbol label) const { return support_.weight(label); }

 private:
  const kernel::gram::SequenceFacts<Value>& support_;
  const forest::QueryGraph& queries_;
};

}  // namespace gristmill::score::trees
