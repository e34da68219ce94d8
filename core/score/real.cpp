// SPDX-License-Identifier: BSD-3-Clause
#include "score/real.hpp"

#include <algorithm>

#include "score/sums.hpp"

namespace gristmill::score {
namespace {

double square_of(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) sum += value * value;
  return sum;
}

std::vector<double> squares_of(const machine::SetMachine& machine) {
  std::vector<double> squares(machine.support().size());
  for (std::size_t row = 0; row < squares.size(); ++row) {
    squares[row] = machine.values.empty() ? static_cast<double>(machine.support().length(row))
                                          : square_of(machine.real_support().values_of(row));
  }
  return squares;
}

}  // namespace

RealScorer::RealScorer(std::shared_ptr<const machine::SetMachine> machine)
    : machine_(std::move(machine)),
      features_(machine_->support()),
      ranks_(ranks_of(features_, machine_->ids)),
      squares_(squares_of(*machine_)) {
  if (kernel::DenseRows::are_dense(machine_->support(), features_.size())) matrix_.emplace(machine_->real_support());
}

RealScorer::Scratch RealScorer::make_scratch() const {
  if (!matrix_) return {std::vector<double>(features_.size(), 0.0), std::vector<double>(squares_.size())};
  return {std::vector<double>(grain * matrix_->features(), 0.0), std::vector<double>(grain * matrix_->padded_size())};
}

void RealScorer::score(rows::RealRows rows, std::size_t begin, std::size_t end, std::span<double> out,
                       Scratch& scratch) const {
  if (matrix_) multiply(rows, begin, end, scratch);
  for (std::size_t x = begin; x < end; ++x) {
    if (!matrix_) walk(rows, x, scratch);
    const std::size_t first = matrix_ ? (x - begin) * matrix_->padded_size() : 0;
    add_up(square_of(rows.values_of(x)), std::span(scratch.products).subspan(first, squares_.size()),
           out.subspan(x * outputs(), outputs()));
  }
}

void RealScorer::multiply(rows::RealRows rows, std::size_t begin, std::size_t end, Scratch& scratch) const {
  const std::size_t width = matrix_->features();
  const std::span<double> queries = std::span(scratch.values).first((end - begin) * width);
  for (std::size_t x = begin; x < end; ++x) matrix_->spread(rows, x, queries.subspan((x - begin) * width, width));
  matrix_->multiply(queries, 0, matrix_->panels(), scratch.products.data(), matrix_->padded_size());
  std::ranges::fill(queries, 0.0);
}

void RealScorer::walk(rows::RealRows rows, std::size_t x, Scratch& scratch) const {
  const std::span<const double> values = rows.values_of(x);
  for_each_known(features_, rows.rows[x], [&](rows::Rank rank, std::size_t at) { scratch.values[rank] = values[at]; });
  for (std::size_t row = 0; row < squares_.size(); ++row) scratch.products[row] = dot(row, scratch);
  for_each_known(features_, rows.rows[x], [&](rows::Rank rank, std::size_t) { scratch.values[rank] = 0.0; });
}

double RealScorer::dot(std::size_t row, const Scratch& scratch) const {
  const rows::Rows support = machine_->support();
  const std::span<const rows::Rank> ranks = row_of(support, ranks_, row);
  double sum = 0.0;
  if (machine_->values.empty()) {
    for (const rows::Rank rank : ranks) sum += scratch.values[rank];
  } else {
    const std::span<const double> values = machine_->real_support().values_of(row);
    for (std::size_t at = 0; at < ranks.size(); ++at) sum += values[at] * scratch.values[ranks[at]];
  }
  return sum;
}

// The score, from dot products that become values of the kernel.
void RealScorer::add_up(double square, std::span<double> products, std::span<double> out) const {
  std::visit(
      [&](const auto& form) {
        for (std::size_t row = 0; row < products.size(); ++row) {
          products[row] = kernel::value_of(form, products[row], square, squares_[row]);
        }
      },
      machine_->kernel.form());
  std::ranges::fill(out, 0.0);
  machine_->coef.add_rows(products, out);
  add_to(out, machine_->intercept);
}

std::size_t RealScorer::nbytes() const noexcept {
  return features_.nbytes() + ranks_.size() * sizeof(rows::Rank) + squares_.size() * sizeof(double) +
         (matrix_ ? matrix_->nbytes() : 0) + machine_->nbytes();
}

}  // namespace gristmill::score
