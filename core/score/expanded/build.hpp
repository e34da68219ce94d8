// SPDX-License-Identifier: BSD-3-Clause
// From a machine to its tables.
#pragma once
#include <stdexcept>

#include "base/observer.hpp"
#include "machine/machine.hpp"
#include "machine/pke_thresholds.hpp"
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

// Weight is double for a machine with one output, RowRef otherwise; Column must be able to tell lines.common columns
// apart. Rare features cannot be left out, so unless keep is everything, lines.common must be the number of features.
template <class Weight, class Column>
[[nodiscard]] Tables<Weight, Column> build_tables(const machine::PolynomialMachine& machine,
                                                  const rows::RankedRows& rows, FeatureTiers lines,
                                                  machine::PkeThresholds keep, std::size_t max_bytes,
                                                  Observer& observer);

}  // namespace gristmill::score::expanded
