// SPDX-License-Identifier: BSD-3-Clause
// Rows that someone else computes, best in blocks; kept as doubles.
#pragma once
#include <functional>

#include "solve/batch/row_cache.hpp"
#include "solve/batch/solver_rows.hpp"

namespace gristmill::solve::batch {

class CallbackRows final : public SolverRows {
 public:
  // out: numbers.size() x size(), row-major; may be called by several threads at once.
  using Fill = std::function<void(std::span<const RowId> numbers, std::span<double> out)>;

  CallbackRows(std::vector<double> diagonal, Fill fill, std::size_t block, std::size_t max_bytes);

  void load(RowId number, const Columns& columns, double* out) override;
  [[nodiscard]] bool holds(RowId number) const override { return cache_.holds(number); }
  [[nodiscard]] std::size_t block() const noexcept override { return block_; }
  [[nodiscard]] std::size_t group() const noexcept override { return block_; }
  void prepare(std::span<const RowId> numbers, Crew& crew) override;
  [[nodiscard]] std::size_t nbytes() const override { return cache_.nbytes(); }
  [[nodiscard]] std::size_t rows_computed() const override { return cache_.computed(); }

 private:
  // Keeps these rows and returns the last of them.
  [[nodiscard]] RowCache<double>::Row compute(std::span<const RowId> numbers);

  Fill fill_;
  RowCache<double> cache_;
  std::size_t block_;
};

}  // namespace gristmill::solve::batch
