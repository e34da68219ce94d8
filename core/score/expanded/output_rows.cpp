// SPDX-License-Identifier: BSD-3-Clause
#include "score/expanded/output_rows.hpp"

#include <algorithm>
#include <stdexcept>

namespace gristmill {

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

OutputRows OutputRowsBuilder::finish() {
  return {stride_, Buffer<double>(std::move(dense_)), Buffer<std::uint32_t>(std::move(starts_)),
          Buffer<OutputWeight>(std::move(lists_))};
}

bool OutputRows::is_sound(std::size_t outputs) const {
  const auto inside = [outputs](const OutputWeight& entry) { return entry.output < outputs; };
  return stride == padded_outputs(outputs) && !starts.empty() && starts[0] == 0 &&
         starts[starts.size() - 1] == lists.size() && std::ranges::is_sorted(starts.span()) &&
         std::ranges::all_of(lists.span(), inside);
}

}  // namespace gristmill
