// SPDX-License-Identifier: BSD-3-Clause
#include "score/bits.hpp"

#include <algorithm>

#include "score/sums.hpp"

namespace gristmill::score {

BitsScorer::BitsScorer(std::shared_ptr<const machine::SetMachine> machine)
    : machine_(std::move(machine)), index_(machine_->support()), values_(machine_->kernel, machine_->support()) {}

BitsScorer::Scratch BitsScorer::make_scratch() const {
  Scratch scratch;
  scratch.rare = index_.make_rare();
  scratch.factors.resize(index_.rows());
  return scratch;
}

void BitsScorer::find_factors(rows::Row x, Scratch& scratch) const {
  index_.look_up(x, scratch.query);
  index_.count_rare(scratch.query, scratch.rare);
  values_.with(x.size(), [&](const auto& value) {
    for (std::size_t block = 0; block < index_.blocks(); ++block) {
      index_.count(scratch.query, scratch.rare, block, scratch.block, scratch.counts);
      const std::size_t first = block * rows::BitIndex::block_rows;
      const std::size_t rows = std::min(rows::BitIndex::block_rows, index_.rows() - first);
      double* factors = scratch.factors.data() + first;
      for (std::size_t row = 0; row < rows; ++row) factors[row] = value(first + row, scratch.counts[row]);
    }
  });
  index_.clear_rare(scratch.query, scratch.rare);
}

void BitsScorer::score(rows::Row x, std::span<double> out, Scratch& scratch) const {
  find_factors(x, scratch);
  std::ranges::copy(machine_->intercept, out.begin());
  const std::span<const double> column = machine_->coef.only_column();
  if (column.empty()) {
    machine_->coef.add_rows(scratch.factors, out);
  } else {
    const double* factors = scratch.factors.data();
    out[0] += sum_in_lanes(column.size(), [&](std::size_t row) { return column[row] * factors[row]; });
  }
}

std::size_t BitsScorer::nbytes() const noexcept { return index_.nbytes() + values_.nbytes() + machine_->nbytes(); }

}  // namespace gristmill::score
