// SPDX-License-Identifier: BSD-3-Clause
#include "explain/decisions/count_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace gristmill::explain::decisions {
namespace {

// The kernel near a row, by overlap and length; NaN where no row has them.
class Nearby {
 public:
  Nearby(const kernel::SetKernel& kernel, std::size_t size, std::size_t overlap, std::size_t length, std::size_t others)
      : reach_(static_cast<int>(others) + 2), width_(2 * reach_ + 1) {
    values_.reserve(static_cast<std::size_t>(width_) * static_cast<std::size_t>(width_));
    for (int m = -reach_; m <= reach_; ++m) {
      for (int l = -reach_; l <= reach_; ++l) {
        const double shared = static_cast<double>(overlap) + m;
        const double longer = static_cast<double>(length) + l;
        const double whole = static_cast<double>(size);
        const bool possible = shared >= 0 && shared <= std::min(whole, longer);
        values_.push_back(possible ? kernel(shared, longer, whole) : std::numeric_limits<double>::quiet_NaN());
      }
    }
  }

  [[nodiscard]] double at(int m, int l) const {
    const std::ptrdiff_t row = std::ptrdiff_t{m} + reach_;
    return values_[static_cast<std::size_t>(row * width_ + l + reach_)];
  }

 private:
  int reach_;
  int width_;
  std::vector<double> values_;
};

Range range_of(const Nearby& kernel, StepKind one, StepKind two, int others) {
  Range range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (int m = -others; m <= others; ++m) {
    for (int l = -others; l <= others; ++l) {
      const double together = kernel.at(m + one.overlap + two.overlap, l + one.length + two.length) -
                              kernel.at(m + one.overlap, l + one.length) - kernel.at(m + two.overlap, l + two.length) +
                              kernel.at(m, l);
      if (std::isnan(together)) continue;
      range.low = std::min(range.low, together);
      range.high = std::max(range.high, together);
    }
  }
  return range.low <= range.high ? range : Range{};
}

}  // namespace

PairRanges pair_ranges(const kernel::SetKernel& kernel, std::size_t size, std::size_t overlap, std::size_t length,
                       std::size_t others) {
  const Nearby near(kernel, size, overlap, length, others);
  PairRanges ranges;
  for (std::size_t one = 0; one < StepKind::count; ++one) {
    for (std::size_t two = 0; two <= one; ++two) {
      ranges[one][two] = range_of(near, StepKind::of(one), StepKind::of(two), static_cast<int>(others));
      ranges[two][one] = ranges[one][two];
    }
  }
  return ranges;
}

double work_of_pair_ranges(std::size_t others) {
  const double width = 2 * static_cast<double>(others) + 1;
  return static_cast<double>(StepKind::count * StepKind::count) * width * width;
}

}  // namespace gristmill::explain::decisions
