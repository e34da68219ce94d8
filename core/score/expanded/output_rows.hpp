// SPDX-License-Identifier: BSD-3-Clause
// Weights of conjunctions for several outputs: a row per conjunction, kept whole when it is well filled, else as a list
// of (output, weight). A reference of 32 bits says which: whole rows are padded to whole vectors and summed four or
// eight outputs at a time.
//
// Whole rows exist a second time, coarsely: as multiples of a grain, 16 bits each. Their sums are within half a grain a
// row of the true ones, which is enough to tell most classes apart, and they take a quarter of the memory traffic. No
// multiple exceeds a quarter of what 16 bits hold, so that four rows can be added up before sums need more.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "base/large_pages.hpp"

namespace gristmill::score::expanded {

using RowRef = std::uint32_t;

constexpr RowRef sparse_row = 0x80000000;  // the bit that marks a list
constexpr std::size_t outputs_per_vector = 4;

struct OutputWeight {
  double weight;
  std::uint32_t output;
  std::uint32_t unused;
};

[[nodiscard]] constexpr std::size_t padded_outputs(std::size_t outputs) {
  return (outputs + outputs_per_vector - 1) / outputs_per_vector * outputs_per_vector;
}

// Bytes of the weights of a conjunction in the block.
[[nodiscard]] constexpr std::size_t weight_size(std::size_t outputs) {
  return sizeof(double) * (outputs <= 1 ? 1 : padded_outputs(outputs));
}

// Outputs of a coarse row: whole vectors of sixteen.
[[nodiscard]] constexpr std::size_t coarse_outputs(std::size_t outputs) { return (outputs + 15) / 16 * 16; }
constexpr std::int16_t coarsest = 8191;

struct OutputRows {
  std::size_t stride = 0;  // padded_outputs
  std::size_t coarse_stride = 0;
  Buffer<double> dense;
  Buffer<std::uint32_t> starts;  // of the lists, one more than there are
  Buffer<OutputWeight> lists;
  Buffer<std::int16_t> coarse;
  Buffer<double> grain;  // one number

  // Every reference stays inside.
  [[nodiscard]] bool is_sound(std::size_t outputs) const;
  [[nodiscard]] bool holds(RowRef ref) const noexcept {
    return (ref & sparse_row) != 0 ? (ref ^ sparse_row) + std::size_t{1} < starts.size()
                                   : (ref + std::size_t{1}) * stride <= dense.size();
  }
};

class OutputRowsBuilder {
 public:
  // The first `block` rows are whole rows of zeros, to be filled by block_row().
  OutputRowsBuilder(std::size_t outputs, std::size_t block);

  [[nodiscard]] std::span<double> block_row(std::size_t row);
  // values: one per output; they are cleared.
  [[nodiscard]] RowRef append(std::span<double> values);
  [[nodiscard]] std::size_t nbytes() const noexcept {
    return dense_.size() * sizeof(double) + lists_.size() * sizeof(OutputWeight);
  }
  [[nodiscard]] OutputRows finish();

 private:
  [[nodiscard]] LargeVector<std::int16_t> coarsened(double grain) const;

  std::size_t outputs_;
  std::size_t stride_;
  LargeVector<double> dense_;
  std::vector<std::uint32_t> starts_{0};
  std::vector<OutputWeight> lists_;
};

}  // namespace gristmill::score::expanded
