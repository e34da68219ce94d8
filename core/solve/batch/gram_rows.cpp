// SPDX-License-Identifier: BSD-3-Clause
#include "solve/batch/gram_rows.hpp"

#include <stdexcept>

#include "solve/batch/pick.hpp"

namespace gristmill::solve::batch {
namespace {

std::vector<double> diagonal_of(const Buffer<double>& matrix, std::size_t size) {
  if (matrix.size() != size * size) throw std::invalid_argument("a Gram matrix is square");
  std::vector<double> diagonal(size);
  for (std::size_t at = 0; at < size; ++at) diagonal[at] = matrix[at * (size + 1)];
  return diagonal;
}

}  // namespace

GramRows::GramRows(Buffer<double> matrix, std::size_t size)
    : SolverRows(diagonal_of(matrix, size)), matrix_(std::move(matrix)) {}

void GramRows::load(RowId number, const Columns& columns, double* out) {
  pick(matrix_.data() + number * size(), columns, out);
}

}  // namespace gristmill::solve::batch
