// SPDX-License-Identifier: BSD-3-Clause
// Rows of the Gram matrix of binary rows, of a kernel of sets. What is kept of a row is how many features it shares
// with the others, or how many differ (RBF), a byte each as a rule; values are read off that and the lengths of the
// rows, so they are exact.
//
// Cost of a row: a query of the overlap index, some nanoseconds per entry at most.
#pragma once
#include <memory>

#include "base/buffer.hpp"
#include "kernel/set_kernel.hpp"
#include "rows/rows.hpp"
#include "solve/batch/solver_rows.hpp"

namespace gristmill::solve::batch {

// Keeps rows in max_bytes, beside the index. Throws std::invalid_argument where two rows do not fit.
[[nodiscard]] std::unique_ptr<SolverRows> make_counted_rows(const kernel::SetKernel& kernel, Buffer<Offset> offsets,
                                                            Buffer<FeatureId> ids, std::size_t max_bytes);

}  // namespace gristmill::solve::batch
