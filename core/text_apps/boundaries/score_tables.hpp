// SPDX-License-Identifier: BSD-3-Clause
// Weights of a window as whole multiples of a unit, 16 bits each, laid out for a pass over text. What a letter adds to
// the boundaries around it is one vector with a lane for each place that it may have in their windows; so a table gives
// the weights of all these places at once, as a pattern-matching automaton gives those of all windows of a match.
//
// Sums of whole numbers do not depend on their order. The true score is within `doubt` units of the sum: half a unit
// for each number that is added, and the rounding of weights and of the definition itself.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "base/large_pages.hpp"
#include "text_apps/boundaries/window_weights.hpp"

namespace gristmill::text_apps::boundaries {

// A lane for each place, and one to spare. Of every instruction set.
using Lanes8h [[gnu::vector_size(16)]] = std::int16_t;

// Pairs of letters at one distance, packed as a comb (see comb.hpp): that of `first` and `second` is in slot
// shift[first] + second if the last lane of that slot is `second`.
using PairSlots = LargeVector<Lanes8h>;

struct ScoreTables {
  std::size_t places = 0, types = 0;
  LargeVector<Lanes8h> alone;           // letters
  LargeVector<Lanes8h> beside;          // letters x directions x types
  std::vector<std::uint32_t> shifts;    // letters x distances
  std::vector<PairSlots> pairs;         // by distance, from 1 on
  LargeVector<std::int16_t> with_fact;  // letters x places x facts
  std::vector<std::int32_t> facts;      // L x R x I
  std::int32_t doubt = 0;

  [[nodiscard]] std::size_t nbytes() const noexcept;
};

// Nothing where no unit serves: weights that differ too much in size from the intercept, or from what 64 bits hold.
[[nodiscard]] std::optional<ScoreTables> tables_of(const WindowWeights& weights, std::size_t support_rows,
                                                   Observer& observer);

}  // namespace gristmill::text_apps::boundaries
