// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <random>
#include <set>

#include "checks.hpp"

namespace gristmill {

using Random = std::mt19937;

inline int below(Random& random, int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random); }

inline OwnedRows random_rows(Random& random, std::size_t rows, int longest, int features) {
  OwnedRows made;
  for (std::size_t row = 0; row < rows; ++row) {
    std::set<FeatureId> ids;
    for (int i = below(random, longest + 1); i > 0; --i) ids.insert(below(random, 1 + below(random, features)));
    made.append(ids);
  }
  return made;
}

// Skewed: low ids are in most rows (byte columns), high ids in few (postings).
inline OwnedRows skewed_rows(std::size_t rows, std::size_t length, unsigned seed) {
  std::mt19937 random(seed);
  std::geometric_distribution<FeatureId> skewed(0.02);
  OwnedRows made;
  for (std::size_t row = 0; row < rows; ++row) {
    std::set<FeatureId> ids;
    for (std::size_t i = 0; i < row % (length + 1); ++i) ids.insert(skewed(random));
    made.append(ids);
  }
  return made;
}

}  // namespace gristmill
