// SPDX-License-Identifier: BSD-3-Clause
// From a machine to its tables.
#pragma once
#include <stdexcept>

#include "base/observer.hpp"
#include "machine/conjunction_machine.hpp"
#include "machine/machine.hpp"
#include "machine/pke_thresholds.hpp"
#include "rows/conjunction_index.hpp"
#include "rows/ranked_rows.hpp"
#include "score/expanded/tables.hpp"

namespace gristmill::score::expanded {

// Where the lines between dense, common and rare features are drawn.
struct FeatureTiers {
  rows::Rank dense;
  rows::Rank common;
};

// Thrown when tables grow beyond what they may take.
struct TooLarge : std::length_error {
  TooLarge() : std::length_error("the tables are too large") {}
};

// Weight is double for a machine with one output, RowRef otherwise. From degree 2 on lines.common is at most
// most_common. Of a rare feature `keep` drops all conjunctions or none: all where it can keep none of those with
// others.
template <class Weight>
[[nodiscard]] Tables<Weight> build_tables(const machine::SetMachine& machine, const rows::RankedRows& rows,
                                          FeatureTiers lines, machine::PkeThresholds keep, std::size_t max_bytes,
                                          Observer& observer);

// The same for conjunctions that are given. degree: features of the longest, or 1. Bounds are for rows of up to
// `reach_length` features, at least `degree`.
template <class Weight>
[[nodiscard]] Tables<Weight> build_given(const machine::ConjunctionMachine& machine,
                                         const rows::ConjunctionIndex& index, unsigned degree, FeatureTiers lines,
                                         std::size_t reach_length, std::size_t max_bytes, Observer& observer);

}  // namespace gristmill::score::expanded
