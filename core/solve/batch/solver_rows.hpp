// SPDX-License-Identifier: BSD-3-Clause
// Rows of a Gram matrix as solvers see them: any kernel trains. One object serves all problems and threads at once.
#pragma once
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "base/crew.hpp"
#include "base/types.hpp"

namespace gristmill::solve::batch {

// Which entries of a row are wanted.
struct Columns {
  std::span<const RowId> numbers;
  bool consecutive = false;  // each is one more than the last
};

class SolverRows {
 public:
  explicit SolverRows(std::vector<double> diagonal) : diagonal_(std::move(diagonal)) {}
  SolverRows(const SolverRows&) = delete;
  SolverRows& operator=(const SolverRows&) = delete;
  virtual ~SolverRows() = default;

  [[nodiscard]] std::size_t size() const noexcept { return diagonal_.size(); }
  [[nodiscard]] double diagonal(RowId number) const { return diagonal_[number]; }

  // out[t] = K(number, columns[t]).
  virtual void load(RowId number, const Columns& columns, double* out) = 0;

  // Whether a row need not be computed to be loaded.
  [[nodiscard]] virtual bool holds(RowId number) const = 0;
  // How many rows are so much cheaper to compute at once that guessing pays.
  [[nodiscard]] virtual std::size_t block() const noexcept { return 1; }
  // How many rows to prepare where all of them are wanted.
  [[nodiscard]] virtual std::size_t group() const noexcept = 0;
  // Computes those of these rows (group() at most) that are missing, shared by the crew.
  virtual void prepare(std::span<const RowId> numbers, Crew& crew) = 0;

  [[nodiscard]] virtual std::size_t nbytes() const = 0;
  [[nodiscard]] virtual std::size_t rows_computed() const = 0;

 private:
  std::vector<double> diagonal_;
};

}  // namespace gristmill::solve::batch
