// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "arrays.hpp"
#include "bind_forest.hpp"
#include "kernel/tree_queries.hpp"

namespace gristmill {

using Roots = Array<NodeId>;

// An index with the forest it was made from: symbols are looked up there.
struct IndexedForest {
  std::shared_ptr<const SharedForest> forest;
  std::shared_ptr<const SubtreeIndex> index;

  IndexedForest(std::shared_ptr<const SharedForest> trees, const Roots& roots) : forest(std::move(trees)) {
    index = forest->read([&](const Forest& nodes) {
      check_roots(nodes, span_of(roots));
      return std::make_shared<const SubtreeIndex>(forest->pointer(), span_of(roots));
    });
  }

  [[nodiscard]] TreeQueries queries(const SharedForest& other, const Roots& roots, bool find_known) const {
    return SharedForest::read_both(*forest, other, [&](const Forest&, const Forest& nodes) {
      check_roots(nodes, span_of(roots));
      return TreeQueries(*index, nodes, span_of(roots), find_known);
    });
  }
};

}  // namespace gristmill
