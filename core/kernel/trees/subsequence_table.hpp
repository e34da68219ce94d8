// SPDX-License-Identifier: BSD-3-Clause
// Formula D2 of docs/formulas.md, in one place: the pairs of equally long subsequences of two lists of children, row by
// row of a table of all pairs of children. A cell whose children match ends the subsequences
//
//   here(i, j) = Delta(i, j) * (begin + step * sum over i' < i, j' < j of gap^(children skipped) * here(i', j'))
//
// Which cells match, what their Delta is and what is to be summed up is up to those who walk: forwards or backwards,
// the lists one way round or the other. Sums of doubles depend on the order, so each walker has its own.
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "kernel/trees/tree_kernel.hpp"

namespace gristmill::kernel::trees {

template <class Value>
class SubsequenceTable {
 public:
  // Of lists of so many children, of which no more than `most` may be chosen (0: any number). Lengths are told apart
  // only where that matters: the first then stands for all of them.
  void start(const TreeKernel& kernel, std::size_t rows, std::size_t columns, std::size_t most) {
    gap_ = kernel.gap;
    step_ = kernel.step;
    is_limited_ = most != 0 && most < std::min(rows, columns);
    lengths_ = is_limited_ ? most : 1;
    width_ = columns + 1;
    last_.assign(lengths_ * width_, Value{});
    next_.assign(last_.size(), Value{});
  }

  [[nodiscard]] std::size_t lengths() const noexcept { return lengths_; }
  // Whether subsequences of a length, counted from 0, may have a single pair.
  [[nodiscard]] bool may_begin(std::size_t length) const noexcept { return !is_limited_ || length == 0; }
  // What a row takes.
  [[nodiscard]] std::size_t row_steps() const noexcept { return last_.size(); }

  // The subsequences of a length that end in the row; the lengths of a row may come in any order, then next_row().
  // visit(column, what may stand before, here) where matches(column).
  template <class Matches, class DeltaAt, class Visit>
  void end_row(std::size_t length, const Value& begin, Matches matches, DeltaAt delta_at, Visit visit) {
    const Value* const own = last_.data() + length * width_;
    const Value* const shorter = is_limited_ && length > 0 ? own - width_ : own;
    const bool is_first = is_limited_ && length == 0;  // there are no shorter ones
    Value* const next = next_.data() + length * width_;
    const double gap = gap_;
    Value faded{};
    for (std::size_t column = 0; column + 1 < width_; ++column) {
      faded = gap * faded;
      if (matches(column)) {
        const Value before = is_first ? begin : begin + step_ * shorter[column];
        const Value here = delta_at(column) * before;
        visit(column, before, here);
        faded += here;
      }
      next[column + 1] = gap * own[column + 1] + faded;
    }
  }
  void next_row() noexcept { std::swap(last_, next_); }

  // Of a length, all that ended in the rows so far, faded as before one more child of both lists.
  [[nodiscard]] const Value& ended(std::size_t length) const noexcept { return last_[length * width_ + width_ - 1]; }

 private:
  double gap_ = 1;
  double step_ = 1;
  bool is_limited_ = false;
  std::size_t lengths_ = 1;
  std::size_t width_ = 1;
  std::vector<Value> last_;  // [length, column]: what ended in the rows and columns before, faded
  std::vector<Value> next_;  // the same with one row more
};

}  // namespace gristmill::kernel::trees
