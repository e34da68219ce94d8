// SPDX-License-Identifier: BSD-3-Clause
// Rows of the polynomial Gram matrix of binary rows. What is kept of a row is how many features it shares with the
// others, a byte each as a rule; values come from the table k(0), k(1), ..., so they are exact.
//
// Cost of a row: a query of the overlap index, some nanoseconds per entry at most.
#pragma once
#include <memory>

#include "base/buffer.hpp"
#include "kernel/polynomial.hpp"
#include "rows/rows.hpp"
#include "solve/batch/solver_rows.hpp"

namespace gristmill::solve::batch {

// Keeps rows in max_bytes, beside the index. Throws std::invalid_argument where two rows do not fit.
[[nodiscard]] std::unique_ptr<SolverRows> make_counted_rows(const kernel::PolynomialKernel& kernel,
                                                            Buffer<Offset> offsets, Buffer<FeatureId> ids,
                                                            std::size_t max_bytes);

}  // namespace gristmill::solve::batch
