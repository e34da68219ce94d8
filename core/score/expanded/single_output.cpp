// SPDX-License-Identifier: BSD-3-Clause
#include "score/expanded/single_output.hpp"

#include <cmath>
#include <limits>

namespace gristmill::score::expanded {
namespace {

// Four sums, so that additions need not wait for one another; always in the same order.
class Sum {
 public:
  explicit Sum(const double* block) : block_(block) {}

  GRISTMILL_INLINE void weight(double weight) { a_ += weight; }

  GRISTMILL_INLINE void nodes(std::uint32_t /*count*/) {}

  GRISTMILL_INLINE void block_row(std::uint32_t base, const std::uint32_t* ranks, std::uint32_t count) {
    const double* row = block_ + base;
    std::uint32_t j = 0;
    for (; j + 4 <= count; j += 4) {
      a_ += row[ranks[j]];
      b_ += row[ranks[j + 1]];
      c_ += row[ranks[j + 2]];
      d_ += row[ranks[j + 3]];
    }
    if (j < count) b_ += row[ranks[j]];
    if (j + 1 < count) c_ += row[ranks[j + 1]];
    if (j + 2 < count) d_ += row[ranks[j + 2]];
  }

  GRISTMILL_INLINE void block_pair(std::uint32_t base, const std::uint32_t* ranks, std::uint32_t count) {
    a_ += block_[base];
    block_row(base + 1, ranks, count);
  }

  // Slot 0 weighs nothing and takes the misses: a branch would be a coin toss.
  GRISTMILL_INLINE void leaves(const Tables<double>& tables, std::uint32_t shift, const std::uint32_t* ranks,
                               std::uint32_t count) {
    const auto* check = tables.leaf_check.data();
    const double* leaf = tables.leaf.data();
    const auto weight_at = [&](std::uint32_t rank) __attribute__((always_inline)) {
      const std::uint32_t slot = shift + rank;
      return leaf[slot & (0U - static_cast<std::uint32_t>(check[slot] == rank))];
    };
    std::uint32_t j = 0;
    for (; j + 2 <= count; j += 2) {
      c_ += weight_at(ranks[j]);
      d_ += weight_at(ranks[j + 1]);
    }
    if (j < count) c_ += weight_at(ranks[j]);
  }

  [[nodiscard]] GRISTMILL_INLINE double total() const { return (a_ + b_) + (c_ + d_); }

 private:
  const double* block_;
  double a_ = 0;
  double b_ = 0;
  double c_ = 0;
  double d_ = 0;
};

GRISTMILL_INLINE double of_block(const Tables<double>& tables, const PreparedRow& row) {
  Sum sum(tables.block.data());
  conjunctions::of_block(tables, row, sum);
  return sum.total();
}

GRISTMILL_INLINE double of_common(const Tables<double>& tables, const PreparedRow& row, std::uint32_t i,
                                  SingleScratch& scratch) {
  Sum sum(tables.block.data());
  conjunctions::of_common(tables, row, i, scratch.nodes, sum);
  return sum.total();
}

GRISTMILL_INLINE double of_rare(const Tables<double>& tables, const PreparedRow& row, std::uint32_t i,
                                const Marks& marks) {
  const double* kernel_increment = tables.kernel_increment.data();
  double sum = 0;
  conjunctions::of_rare(tables, row.bases.data()[i], marks,
                        [&](std::uint64_t payload, std::uint32_t overlap) __attribute__((always_inline)) {
                          sum += std::bit_cast<double>(payload) * kernel_increment[overlap];
                        });
  return sum;
}

GRISTMILL_INLINE double finished(const Tables<double>& tables, const PreparedRow& row, SingleScratch& scratch) {
  double sum = row.sum;
  for (std::uint32_t i = row.dense; i < row.common; ++i) sum += of_common(tables, row, i, scratch);
  if (row.common == row.size) return sum;
  conjunctions::mark(row, scratch.marks);
  for (std::uint32_t i = row.common; i < row.size; ++i) sum += of_rare(tables, row, i, scratch.marks);
  conjunctions::unmark(row, scratch.marks);
  return sum;
}

// The range a score can still end up in, rounding errors included.
class Outlook {
 public:
  explicit Outlook(double doubt) : doubt_(doubt) {}

  GRISTMILL_INLINE void add(ScoreBounds reach) {
    low_ += static_cast<double>(reach.low);
    high_ += static_cast<double>(reach.high);
  }
  GRISTMILL_INLINE void drop(ScoreBounds reach) {
    low_ -= static_cast<double>(reach.low);
    high_ -= static_cast<double>(reach.high);
  }
  // After all are added: what these additions and as many subtractions may round by. The range may be so wide that
  // doubt would vanish in it, and come out of the subtractions as nothing.
  GRISTMILL_INLINE void allow_for_rounding(std::uint32_t added) {
    doubt_ += 2 * std::numeric_limits<double>::epsilon() * (high_ - low_) * added;
  }
  [[nodiscard]] GRISTMILL_INLINE bool settles(double sum) const { return sum + low_ > doubt_ || sum + high_ < -doubt_; }

 private:
  double low_ = 0;
  double high_ = 0;
  double doubt_;
};

GRISTMILL_INLINE Outlook outlook_of(const Tables<double>& tables, const PreparedRow& row, double doubt) {
  const bool bounded = row.size <= tables.reach_length;
  Outlook outlook(bounded ? doubt : std::numeric_limits<double>::infinity());
  for (std::uint32_t i = row.dense; i < row.size; ++i) outlook.add(tables.reach.data()[row.ranks.data()[i]]);
  outlook.allow_for_rounding(row.size - row.dense);
  return outlook;
}

// How many features had to be looked at; the sign of sum is then certain, unless all were.
GRISTMILL_INLINE std::uint32_t look_until_certain(const Tables<double>& tables, const PreparedRow& row, Outlook outlook,
                                                  double& sum, SingleScratch& scratch) {
  const std::uint32_t* ranks = row.ranks.data();
  const ScoreBounds* reach = tables.reach.data();
  std::uint32_t i = row.dense;
  for (; i < row.common; ++i) {
    outlook.drop(reach[ranks[i]]);
    sum += of_common(tables, row, i, scratch);
    if (outlook.settles(sum)) return i + 1;
  }
  if (i == row.size) return i;
  conjunctions::mark(row, scratch.marks);
  bool certain = false;
  for (; i < row.size && !certain; ++i) {
    outlook.drop(reach[ranks[i]]);
    sum += of_rare(tables, row, i, scratch.marks);
    certain = outlook.settles(sum);
  }
  conjunctions::unmark(row, scratch.marks);
  return i;
}

GRISTMILL_INLINE std::int32_t decided(const Tables<double>& tables, const PreparedRow& row, double doubt,
                                      SingleScratch& scratch, EarlyStopStats& early_stops) {
  double sum = row.sum;
  std::uint32_t looked_at = row.dense;
  if (row.open) looked_at = look_until_certain(tables, row, outlook_of(tables, row, doubt), sum, scratch);
  early_stops.add(row.size, looked_at);
  const bool certain = looked_at < row.size || std::abs(sum) > doubt;
  return certain ? static_cast<std::int32_t>(sum > 0) : undecided;
}

}  // namespace

GRISTMILL_VARIANTS void score_single(const Tables<double>& tables, rows::Rows rows, std::size_t begin, std::size_t end,
                                     std::span<double> out, SingleScratch& scratch) {
  scratch.window.run(
      tables, rows, begin, end,
      [&](PreparedRow& row) __attribute__((always_inline)) { row.sum += tables.base[0] + of_block(tables, row); },
      [&](const PreparedRow& row, std::size_t number)
          __attribute__((always_inline)) { out[number] = finished(tables, row, scratch); });
}

GRISTMILL_VARIANTS void decide_single(const Tables<double>& tables, rows::Rows rows, std::size_t begin, std::size_t end,
                                      std::span<const double> doubt, std::span<std::int32_t> out,
                                      SingleScratch& scratch, EarlyStopStats& early_stops) {
  scratch.window.run(
      tables, rows, begin, end,
      [&](PreparedRow& row) __attribute__((always_inline)) {
        row.sum += tables.base[0] + of_block(tables, row);
        row.open = row.dense < row.size && !outlook_of(tables, row, doubt[row.length]).settles(row.sum);
      },
      [&](const PreparedRow& row, std::size_t number) __attribute__((always_inline)) {
        out[number] = decided(tables, row, doubt[row.length], scratch, early_stops);
      });
}

}  // namespace gristmill::score::expanded
