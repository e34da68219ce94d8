// SPDX-License-Identifier: BSD-3-Clause
// What remains to be done with a row of kernel values: scales, and a look at whether they are numbers.
#pragma once
#include <cstddef>
#include <span>

namespace gristmill::kernel::trees {

// Throws std::invalid_argument that names the trees.
[[noreturn]] void fail_range(std::size_t query, std::size_t tree);
// The same for a sum of kernels with one tree.
[[noreturn]] void fail_range(std::size_t tree);

// row[tree] of one query. Either there are scales for every query and for (at least) every tree of the row, or none for
// any. Throws as above if a value is no number.
void finish_row(std::size_t query, std::span<double> row, std::span<const double> query_scales,
                std::span<const double> tree_scales);

}  // namespace gristmill::kernel::trees
