// SPDX-License-Identifier: BSD-3-Clause
#include "score/expanded/strip.hpp"

#include <algorithm>

namespace gristmill::score::expanded {
namespace {

constexpr std::size_t rows_per_entry =
    6;  // a slot of the strip takes a sixth of what an entry of a long row does in a comb

}  // namespace

rows::Rank strip_width(const CombRows& rows, rows::Rank limit) {
  std::vector<std::ptrdiff_t> counts(limit, 0);
  for (const rows::Rank column : rows.columns) {
    if (column < limit) ++counts[column];
  }
  const auto size = static_cast<std::ptrdiff_t>(rows.size());
  std::ptrdiff_t gain = 0;
  std::ptrdiff_t best = 0;
  rows::Rank width = 0;
  for (rows::Rank column = 0; column < limit; ++column) {
    gain += static_cast<std::ptrdiff_t>(rows_per_entry) * counts[column] - size;
    if (gain > best) best = gain, width = column + 1;
  }
  return width;
}

void cut_strip(CollectedRows<double>& leaf, std::span<const std::uint32_t> numbers, rows::Rank width,
               LargeVector<double>& block) {
  CombRows& rows = leaf.rows;
  block.resize(block.size() + numbers.size() * width, 0.0);
  double* strip = block.data() + block.size() - numbers.size() * width;
  std::size_t kept = 0;
  std::size_t at = 0;
  for (const std::uint32_t row : numbers) {
    if (row != 0) {
      for (; at < rows.starts[row + 1]; ++at) {
        if (rows.columns[at] < width) {
          strip[rows.columns[at]] = leaf.entries[at];
        } else {
          rows.columns[kept] = rows.columns[at];
          leaf.entries[kept++] = leaf.entries[at];
        }
      }
      rows.starts[row + 1] = kept;
    }
    strip += width;
  }
  rows.columns.resize(kept);
  leaf.entries.resize(kept);
}

}  // namespace gristmill::score::expanded
