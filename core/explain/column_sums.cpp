// SPDX-License-Identifier: BSD-3-Clause
#include "explain/column_sums.hpp"

#include "base/lanes.hpp"
#include "base/variants.hpp"

namespace gristmill::explain {
namespace {

// Eight rows of a column are in `rows` four times over; what four of them are, no bits or all, is spread over their
// parts, and keeps them or leaves 0.
template <int First>
GRISTMILL_INLINE void add_four(const Lanes32b& rows, const Lanes4l& parts, Lanes4d& sums) {
  constexpr int a = First;
  constexpr int b = First + 1;
  constexpr int c = First + 18;
  constexpr int d = First + 19;
  const auto mask = reinterpret_cast<Lanes4l>(__builtin_shufflevector(rows, rows, a, a, a, a, a, a, a, a,  //
                                                                      b, b, b, b, b, b, b, b,              //
                                                                      c, c, c, c, c, c, c, c,              //
                                                                      d, d, d, d, d, d, d, d));
  sums += reinterpret_cast<Lanes4d>(parts & mask);
}

GRISTMILL_INLINE void spread_eight(Lanes32b& rows, const std::uint8_t* column) {
  const std::int64_t eight = *reinterpret_cast<const lanes::Loose1l*>(column);
  rows = reinterpret_cast<Lanes32b>(Lanes4l{eight, eight, eight, eight});
}

}  // namespace

GRISTMILL_VARIANTS void add_columns(std::span<const std::uint8_t> one, const std::uint8_t* other, const double* parts,
                                    LaneSums& sums, LaneSums& other_sums) {
  Lanes4d low{};
  Lanes4d high{};
  Lanes4d other_low{};
  Lanes4d other_high{};
  std::size_t row = 0;
  Lanes32b rows;
  for (; row + lane_count <= one.size(); row += lane_count) {
    const Lanes4l first = *reinterpret_cast<const lanes::Loose4l*>(parts + row);
    const Lanes4l second = *reinterpret_cast<const lanes::Loose4l*>(parts + row + 4);
    spread_eight(rows, one.data() + row);
    add_four<0>(rows, first, low);
    add_four<4>(rows, second, high);
    spread_eight(rows, other + row);
    add_four<0>(rows, first, other_low);
    add_four<4>(rows, second, other_high);
  }
  add(low, sums.data());
  add(high, sums.data() + 4);
  add(other_low, other_sums.data());
  add(other_high, other_sums.data() + 4);
  store(low, sums.data());
  store(high, sums.data() + 4);
  store(other_low, other_sums.data());
  store(other_high, other_sums.data() + 4);
  for (std::size_t lane = 0; row < one.size(); ++row, ++lane) {
    sums[lane] += one[row] != 0 ? parts[row] : 0.0;
    other_sums[lane] += other[row] != 0 ? parts[row] : 0.0;
  }
}

}  // namespace gristmill::explain
