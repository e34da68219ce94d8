// SPDX-License-Identifier: BSD-3-Clause
// Where to draw the lines between dense, common and rare features: where a row is expected to cost least.
#pragma once
#include <optional>

#include "rows/ranked_rows.hpp"
#include "score/costs.hpp"
#include "score/expanded/build.hpp"

namespace gristmill {

// sample: rows to expect; the support rows themselves where nothing better is known.
[[nodiscard]] Work expected_work(const RankedRows& rows, Rows sample, unsigned degree, Lines lines);

// rare: features in at most this many support rows are rare; nothing: whatever costs least.
// max_bytes bounds the block only; what combs take is known when they are built.
[[nodiscard]] Lines draw_lines(const PolynomialMachine& machine, const RankedRows& rows, Rows sample,
                               std::optional<std::size_t> rare, std::size_t max_bytes);

// The first rank that is in at most `count` support rows.
[[nodiscard]] Rank first_rank_within(const RankedRows& rows, std::size_t count);

}  // namespace gristmill
