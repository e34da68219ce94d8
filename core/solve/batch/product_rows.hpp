// SPDX-License-Identifier: BSD-3-Clause
// Rows of the Gram matrix of real rows with few zeros, of a kernel of sets: products of matrices, a block of rows at a
// time; kept as doubles. A value has the same bits whichever rows are computed with it.
//
// Cost of a row: rows x features multiplications, of which eight go at once. Memory: the rows as a matrix, and what is
// kept.
#pragma once
#include <memory>

#include "kernel/set_kernel.hpp"
#include "rows/rows.hpp"
#include "solve/batch/solver_rows.hpp"

namespace gristmill::solve::batch {

// Keeps rows in max_bytes, beside the matrix; nothing where zeros are too many for a matrix. Throws
// std::invalid_argument where two rows do not fit.
[[nodiscard]] std::unique_ptr<SolverRows> make_product_rows(const kernel::SetKernel& kernel, rows::RealRows rows,
                                                            std::size_t max_bytes);

}  // namespace gristmill::solve::batch
