// SPDX-License-Identifier: BSD-3-Clause
#include "score/costs.hpp"

#include <algorithm>

namespace gristmill {
namespace {

// Nanoseconds, on a processor of 2.6 GHz. Only their ratios matter.
constexpr double per_row = 25;
constexpr double per_feature = 4;
constexpr double per_entry = 0.9;
constexpr double per_probe = 1.6;
constexpr double per_line = 5;
constexpr double per_output_line = 2;  // eight outputs more of an entry, probe or line
constexpr double per_posting = 0.8;
constexpr double per_column_row = 0.03;  // a support row of a column
constexpr double per_touched_row = 2;
constexpr double per_support_row = 0.4;  // of the pass over all of them
constexpr double per_support_output = 0.3;
constexpr double per_support_entry = 0.5;  // of the definition

}  // namespace

Costs costs_of(const Work& work, std::size_t support_rows, std::size_t support_entries, std::size_t outputs) {
  const auto rows = static_cast<double>(support_rows);
  const double several = outputs == 1 ? 0 : static_cast<double>(outputs);
  const double lines = several == 0 ? 0 : std::max(1.0, several / 8) * per_output_line;
  const bool few = work.columns < 0.5 && work.postings < rows / 4;
  Costs costs;
  costs.direct =
      per_row + per_support_entry * static_cast<double>(support_entries) + per_support_output * several * rows;
  costs.inverted =
      per_row + per_feature * work.features + per_posting * work.postings + per_column_row * rows * work.columns +
      (few ? (per_touched_row + lines) * work.postings : (per_support_row + per_support_output * several) * rows);
  costs.expanded = per_row + per_feature * work.features + (per_entry + lines) * work.entries +
                   (per_probe + lines) * work.probes + (per_line + lines) * work.lines;
  return costs;
}

}  // namespace gristmill
