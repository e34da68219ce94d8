// SPDX-License-Identifier: BSD-3-Clause
// Some rows of a symmetric matrix, up to the diagonal, on their way to memory: written once as rows and once as
// columns, past the cache, since nobody will read them soon.
#pragma once
#include <cstddef>
#include <span>

namespace gristmill::kernel::trees {

// rows: (end - begin) x n, of which row i holds begin + i + 1 values; matrix: n x n.
void write_symmetric(std::span<const double> rows, std::size_t begin, std::size_t end, std::span<double> matrix,
                     std::size_t n);

}  // namespace gristmill::kernel::trees
