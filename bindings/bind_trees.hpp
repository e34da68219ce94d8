// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "arrays.hpp"
#include "bind_forest.hpp"
#include "forest/tree_queries.hpp"

namespace gristmill::bindings {

// An index with the forest it was made from: symbols are looked up there.
struct IndexedForest {
  std::shared_ptr<const SharedForest> forest;
  std::shared_ptr<const forest::SubtreeIndex> index;

  IndexedForest(std::shared_ptr<const SharedForest> trees, const Roots& roots) : forest(std::move(trees)) {
    index = forest->read([&](const forest::Forest& nodes) {
      check_roots(nodes, span_of(roots));
      return std::make_shared<const forest::SubtreeIndex>(forest->pointer(), span_of(roots));
    });
  }

  [[nodiscard]] forest::TreeQueries queries(const SharedForest& other, const Roots& roots, bool find_known) const {
    return SharedForest::read_both(*forest, other, [&](const forest::Forest&, const forest::Forest& nodes) {
      check_roots(nodes, span_of(roots));
      return forest::TreeQueries(*index, nodes, span_of(roots), find_known);
    });
  }
};

}  // namespace gristmill::bindings
