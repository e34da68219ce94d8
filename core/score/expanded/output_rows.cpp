// SPDX-License-Identifier: BSD-3-Clause
#include "score/expanded/output_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace gristmill::score::expanded {

OutputRowsBuilder::OutputRowsBuilder(std::size_t outputs, std::size_t block)
    : outputs_(outputs), stride_(padded_outputs(outputs)), dense_(block * stride_, 0.0) {}

std::span<double> OutputRowsBuilder::block_row(std::size_t row) {
  return std::span(dense_).subspan(row * stride_, outputs_);
}

RowRef OutputRowsBuilder::append(std::span<double> values) {
  const auto filled = static_cast<std::size_t>(std::ranges::count_if(values, [](double v) { return v != 0; }));
  const bool whole = filled * 4 > outputs_;
  const std::size_t number = whole ? dense_.size() / stride_ : starts_.size() - 1;
  if (number >= sparse_row || lists_.size() > 0xFFFFFFFF - outputs_) {
    throw std::length_error("the expansion needs more than 2^31 rows of weights");
  }
  if (whole) {
    dense_.insert(dense_.end(), values.begin(), values.end());
    dense_.resize((number + 1) * stride_, 0.0);
  } else {
    for (std::size_t o = 0; o < outputs_; ++o) {
      if (values[o] != 0) lists_.push_back({values[o], static_cast<std::uint32_t>(o), 0});
    }
    starts_.push_back(static_cast<std::uint32_t>(lists_.size()));
  }
  std::ranges::fill(values, 0.0);
  return static_cast<RowRef>(number) | (whole ? 0 : sparse_row);
}

// The whole rows as multiples of a grain.
LargeVector<std::int16_t> OutputRowsBuilder::coarsened(double grain) const {
  const std::size_t rows = stride_ == 0 ? 0 : dense_.size() / stride_;
  const std::size_t stride = coarse_outputs(outputs_);
  LargeVector<std::int16_t> coarse(rows * stride, 0);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t o = 0; o < outputs_; ++o) {
      coarse[row * stride + o] = static_cast<std::int16_t>(std::lround(dense_[row * stride_ + o] / grain));
    }
  }
  return coarse;
}

OutputRows OutputRowsBuilder::finish() {
  double largest = 0;
  for (const double weight : dense_) largest = std::max(largest, std::abs(weight));
  const double grain = std::max(largest / coarsest, std::numeric_limits<double>::min());
  LargeVector<std::int16_t> coarse = coarsened(grain);
  return {.stride = stride_,
          .coarse_stride = coarse_outputs(outputs_),
          .dense = Buffer<double>(std::move(dense_)),
          .starts = Buffer<std::uint32_t>(std::move(starts_)),
          .lists = Buffer<OutputWeight>(std::move(lists_)),
          .coarse = Buffer<std::int16_t>(std::move(coarse)),
          .grain = Buffer<double>(std::vector<double>{grain})};
}

bool OutputRows::is_sound(std::size_t outputs) const {
  const auto inside = [outputs](const OutputWeight& entry) { return entry.output < outputs; };
  return stride == padded_outputs(outputs) && coarse_stride == coarse_outputs(outputs) && grain.size() == 1 &&
         coarse.size() * stride == dense.size() * coarse_stride && !starts.empty() && starts[0] == 0 &&
         starts[starts.size() - 1] == lists.size() && std::ranges::is_sorted(starts.span()) &&
         std::ranges::all_of(lists.span(), inside);
}

}  // namespace gristmill::score::expanded
