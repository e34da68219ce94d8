// SPDX-License-Identifier: BSD-3-Clause
// Lists of tuples, from which operators are compiled. For a list L with coefficient c the operator is
//   f(t) = c * sum over s in L of w(s) * prod over positions j of factor(s_j, t_j),
// where an item is a subtree (or a sequence of children) and the factor depends on the kind of the position.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace gristmill::kernel::gram {

using Item = std::uint32_t;
using Kind = std::uint32_t;

// Called every now and then with the steps taken since, and the bytes of lists that are still to be taken apart (0
// where it is called from within a step); may throw.
using Watch = std::function<void(std::size_t steps, std::size_t waiting_bytes)>;

// Steps that items take to compare what stands below them: they say so now and then, also in the midst of long ones.
class CountedSteps {
 public:
  // Steps taken since the last call.
  [[nodiscard]] std::size_t take_work() { return std::exchange(work_, 0); }
  void set_watch(Watch watch) { watch_ = std::move(watch); }

 protected:
  void count(std::size_t steps) {
    work_ += steps;
    if (work_ > long_ && watch_) watch_(take_work(), 0);
  }

 private:
  static constexpr std::size_t long_ = std::size_t{1} << 16U;  // steps without a word

  std::size_t work_ = 0;
  Watch watch_;
};

template <class Value>
struct TupleList {
  Value coefficient{};
  std::size_t rows = 0;
  std::vector<Kind> kinds{};  // of the positions
  std::vector<Item> items{};  // row by row

  [[nodiscard]] std::size_t width() const noexcept { return kinds.size(); }
  [[nodiscard]] std::span<const Item> row(std::size_t at) const noexcept {
    return {items.data() + at * width(), width()};
  }

  [[nodiscard]] std::size_t nbytes() const noexcept {
    return kinds.size() * sizeof(Kind) + items.size() * sizeof(Item);
  }

  [[nodiscard]] bool is_constant(std::size_t position) const noexcept {
    for (std::size_t at = width() + position; at < items.size(); at += width()) {
      if (items[at] != items[position]) return false;
    }
    return true;
  }

  // All other positions go.
  void keep(const std::vector<std::size_t>& positions) {
    if (positions.size() == width()) return;
    std::size_t to = 0;
    for (std::size_t at = 0; at < rows; ++at) {
      for (const std::size_t position : positions) items[to++] = items[at * width() + position];
    }
    items.resize(to);
    for (std::size_t at = 0; at < positions.size(); ++at) kinds[at] = kinds[positions[at]];
    kinds.resize(positions.size());
  }

  // constant(position) for those with the same item in all rows, which go.
  template <class Constant>
  void take_constants(Constant constant) {
    std::vector<std::size_t> kept;
    for (std::size_t position = 0; position < width(); ++position) {
      if (is_constant(position)) {
        constant(position);
      } else {
        kept.push_back(position);
      }
    }
    keep(kept);
  }

  // They go into the coefficient.
  template <class Items>
  void strip_constants(Items& of) {
    take_constants([&](std::size_t position) { coefficient *= of.same(kinds[position], items[position]); });
  }
};

}  // namespace gristmill::kernel::gram
