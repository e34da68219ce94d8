// SPDX-License-Identifier: BSD-3-Clause
#include "machine/coefficients.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "base/variants.hpp"

namespace gristmill::machine {
namespace {

// sums[c] += factors[i] * values[i * stride + c] for c < Width, kept in registers over all rows.
template <std::size_t Width>
GRISTMILL_INLINE void add_strip(std::span<const double> factors, const double* values, std::size_t stride,
                                double* sums) {
  std::array<double, Width> kept;
  for (std::size_t c = 0; c < Width; ++c) kept[c] = sums[c];
  for (std::size_t row = 0; row < factors.size(); ++row, values += stride) {
    for (std::size_t c = 0; c < Width; ++c) kept[c] += factors[row] * values[c];
  }
  for (std::size_t c = 0; c < Width; ++c) sums[c] = kept[c];
}

GRISTMILL_VARIANTS void add_block(std::span<const double> factors, const double* values, std::size_t width,
                                  double* sums) {
  std::size_t c = 0;
  for (; c + 8 <= width; c += 8) add_strip<8>(factors, values + c, width, sums + c);
  for (; c + 4 <= width; c += 4) add_strip<4>(factors, values + c, width, sums + c);
  for (; c < width; ++c) add_strip<1>(factors, values + c, width, sums + c);
}

}  // namespace

Coefficients Coefficients::dense(std::size_t rows, std::size_t outputs, std::vector<double> values) {
  Coefficients made;
  made.outputs_ = outputs;
  std::vector<std::int32_t> all(outputs);
  std::iota(all.begin(), all.end(), 0);
  made.append_block(0, rows, all);
  made.values_ = std::move(values);
  return made;
}

Coefficients Coefficients::sparse(std::size_t outputs, std::span<const Offset> offsets,
                                  std::span<const std::int32_t> columns, std::vector<double> values) {
  Coefficients made;
  made.outputs_ = outputs;
  const auto columns_at = [&](std::size_t row) {
    return columns.subspan(static_cast<std::size_t>(offsets[row]),
                           static_cast<std::size_t>(offsets[row + 1] - offsets[row]));
  };
  const std::size_t rows = offsets.size() - 1;
  for (std::size_t first = 0, next = 0; first < rows; first = next) {
    while (next < rows && std::ranges::equal(columns_at(next), columns_at(first))) ++next;
    made.append_block(first, next - first, columns_at(first));
  }
  made.values_ = std::move(values);
  made.pack_entries();
  return made;
}

void Coefficients::pack_entries() {
  constexpr std::size_t few = 4;  // rows of a block
  if (blocks_.size() * few < rows() || values_.size() > std::numeric_limits<std::uint32_t>::max()) return;
  first_entry_.reserve(rows() + 1);
  entries_.reserve(values_.size());
  for (std::size_t row = 0; row < rows(); ++row) {
    first_entry_.push_back(static_cast<std::uint32_t>(entries_.size()));
    for_each_in_row(row, [&](std::size_t output, double value) {
      entries_.push_back({value, static_cast<std::uint32_t>(output)});
    });
  }
  first_entry_.push_back(static_cast<std::uint32_t>(entries_.size()));
}

void Coefficients::append_block(std::size_t first_row, std::size_t rows, std::span<const std::int32_t> columns) {
  const std::size_t first_value =
      blocks_.empty() ? 0 : blocks_.back().first_value + blocks_.back().rows * blocks_.back().width;
  block_of_row_.insert(block_of_row_.end(), rows, static_cast<std::uint32_t>(blocks_.size()));
  blocks_.push_back({first_row, rows, columns_.size(), columns.size(), first_value});
  columns_.insert(columns_.end(), columns.begin(), columns.end());
}

std::span<const std::int32_t> Coefficients::columns_of(const Block& block) const {
  return std::span(columns_).subspan(block.first_column, block.width);
}

std::span<const double> Coefficients::only_column() const noexcept {
  const bool plain = outputs_ == 1 && blocks_.size() == 1 && blocks_[0].width == 1;
  return plain ? std::span<const double>(values_) : std::span<const double>();
}

std::span<const double> Coefficients::all_values() const noexcept {
  const bool whole = blocks_.size() == 1 && blocks_[0].width == outputs_;
  return whole ? std::span<const double>(values_) : std::span<const double>();
}

void Coefficients::add_rows(std::span<const double> factors, std::span<double> out) const {
  std::vector<double> sums(outputs_);
  for (const Block& block : blocks_) {
    const std::span<const std::int32_t> columns = columns_of(block);
    for (std::size_t c = 0; c < block.width; ++c) sums[c] = out[static_cast<std::size_t>(columns[c])];
    add_block(factors.subspan(block.first_row, block.rows), values_.data() + block.first_value, block.width,
              sums.data());
    for (std::size_t c = 0; c < block.width; ++c) out[static_cast<std::size_t>(columns[c])] = sums[c];
  }
}

void Coefficients::add_block_row(std::size_t row, double factor, std::span<double> out) const {
  const Block& block = blocks_[block_of_row_[row]];
  const std::span<const std::int32_t> columns = columns_of(block);
  const double* values = values_.data() + block.first_value + (row - block.first_row) * block.width;
  for (std::size_t c = 0; c < block.width; ++c) out[static_cast<std::size_t>(columns[c])] += factor * values[c];
}

std::size_t Coefficients::nbytes() const noexcept {
  return values_.size() * sizeof(double) + columns_.size() * sizeof(std::int32_t) +
         block_of_row_.size() * sizeof(std::uint32_t) + blocks_.size() * sizeof(Block) +
         first_entry_.size() * sizeof(std::uint32_t) + entries_.size() * sizeof(Entry);
}

}  // namespace gristmill::machine
