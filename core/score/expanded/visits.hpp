// SPDX-License-Identifier: BSD-3-Clause
// How much of the tables rows look at when they are scored: all conjunctions of a row whose beginnings are stored
// (Kudo and Matsumoto 2003, section 4.2.2: the TRIE is traversed for all s in Gamma_d(X)). Counted on the way that
// scorers take; costs what a score costs.
#pragma once
#include "score/expanded/conjunctions.hpp"

namespace gristmill::score::expanded {

struct Visits {
  std::uint64_t features = 0;  // known to the machine
  std::uint64_t entries = 0;   // of the block and the strip
  std::uint64_t probes = 0;    // of the combs
  std::uint64_t lines = 0;     // support rows that have a rare feature
};

template <class Weight>
[[nodiscard]] Visits count_visits(const Tables<Weight>& tables, rows::Rows rows);

}  // namespace gristmill::score::expanded
