// SPDX-License-Identifier: BSD-3-Clause
// Where the conjunctions of a row's frequent features stand in a dense table (see base/triangle.hpp).
#pragma once
#include "base/triangle.hpp"
#include "base/variants.hpp"
#include "rows/feature_map.hpp"

namespace gristmill::solve {

// visit(size of the conjunction, its position in the block): the conjunctions of ranks[at] with those before it.
template <class Visit>
GRISTMILL_INLINE void for_each_below(unsigned degree, const rows::Rank* ranks, std::size_t at, Visit visit) {
  if (degree == 2) {
    const std::size_t row = pair_row(ranks[at]);
    for (std::size_t i = 0; i < at; ++i) visit(2, row + ranks[i]);
  } else if (degree == 3) {
    const std::size_t plane = triple_plane(ranks[at]);
    for (std::size_t i = 0; i < at; ++i) {
      const std::size_t row = plane + triple_row(ranks[i]);
      visit(2, row);
      for (std::size_t j = 0; j < i; ++j) visit(3, row + 1 + ranks[j]);
    }
  }
}

}  // namespace gristmill::solve
