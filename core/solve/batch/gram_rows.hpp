// SPDX-License-Identifier: BSD-3-Clause
// Rows of a Gram matrix that is there already: borrowed, square, row by row.
#pragma once
#include "base/buffer.hpp"
#include "solve/batch/solver_rows.hpp"

namespace gristmill::solve::batch {

class GramRows final : public SolverRows {
 public:
  // Throws std::invalid_argument unless the matrix has size * size entries.
  GramRows(Buffer<double> matrix, std::size_t size);

  void load(RowId number, const Columns& columns, double* out) override;
  [[nodiscard]] bool holds(RowId) const override { return true; }
  [[nodiscard]] std::size_t group() const noexcept override { return 64; }
  void prepare(std::span<const RowId>, Crew&) override {}
  [[nodiscard]] std::size_t nbytes() const override { return matrix_.nbytes(); }
  [[nodiscard]] std::size_t rows_computed() const override { return 0; }

 private:
  Buffer<double> matrix_;
};

}  // namespace gristmill::solve::batch
