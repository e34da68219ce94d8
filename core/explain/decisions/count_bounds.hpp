// SPDX-License-Identifier: BSD-3-Clause
// How much two steps add together to the kernel with a support row, beyond what each adds alone, whichever others are
// taken before them: bounds from counts.
//
// A step changes the features that the row shares with the support row, and the length of the row, by -1, 0 or 1. So
// after up to `others` steps both are known up to that, and what two steps of known kinds add together,
//
//   k(m + m1 + m2, l + l1 + l2) - k(m + m1, l + l1) - k(m + m2, l + l2) + k(m, l),
//
// lies between the extremes over all m and l that there may be.
// Cost: 81 pairs of kinds times (2 others + 1)^2, for each size and overlap of support rows.
#pragma once
#include <array>
#include <cstddef>

#include "kernel/set_kernel.hpp"

namespace gristmill::explain::decisions {

// What a step does to the overlap with a support row and to the length of the row, from -1 to 1.
struct StepKind {
  int overlap;
  int length;

  static constexpr std::size_t count = 9;
  [[nodiscard]] std::size_t number() const noexcept {
    return 3 * static_cast<std::size_t>(overlap + 1) + static_cast<std::size_t>(length + 1);
  }
  [[nodiscard]] static StepKind of(std::size_t number) noexcept {
    return {static_cast<int>(number / 3) - 1, static_cast<int>(number % 3) - 1};
  }
};

struct Range {
  double low = 0;
  double high = 0;
};

using PairRanges = std::array<std::array<Range, StepKind::count>, StepKind::count>;  // by the numbers of two kinds

// size, overlap: of the support row, with the row; length: of the row.
[[nodiscard]] PairRanges pair_ranges(const kernel::SetKernel& kernel, std::size_t size, std::size_t overlap,
                                     std::size_t length, std::size_t others);

// Numbers that are looked at for it.
[[nodiscard]] double work_of_pair_ranges(std::size_t others);

}  // namespace gristmill::explain::decisions
