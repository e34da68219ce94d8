// SPDX-License-Identifier: BSD-3-Clause
// The strip: pairs of common features with the few most frequent ones. Most of those pairs exist, and rows that are
// full at one end cannot be laid over one another: in a comb they would leave most of it empty.
#pragma once
#include "base/large_pages.hpp"
#include "score/expanded/trie_builder.hpp"

namespace gristmill::score::expanded {

// How many columns of the rows, from the first on, to take into a strip: none or up to `limit`.
[[nodiscard]] rows::Rank strip_width(const CombRows& rows, rows::Rank limit);

// Moves the columns below `width` out of the rows, to the end of `block`. numbers: of the row of each feature,
// ascending but for zeros, which stand for the empty row; the strip has a row for each.
void cut_strip(CollectedRows<double>& leaf, std::span<const std::uint32_t> numbers, rows::Rank width,
               LargeVector<double>& block);

}  // namespace gristmill::score::expanded
