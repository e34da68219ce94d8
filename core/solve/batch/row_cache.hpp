// SPDX-License-Identifier: BSD-3-Clause
// Keeps the rows that were used last, within a number of bytes. Whoever holds a row keeps it alive, so that threads may
// read one that has just been thrown out. Finding and adding take constant time.
#pragma once
#include <algorithm>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "solve/batch/row_memory.hpp"

namespace gristmill::solve::batch {

template <class T>
class RowCache {
 public:
  using Row = std::shared_ptr<const T[]>;

  // At least two rows must fit.
  RowCache(std::size_t rows, std::size_t max_bytes)
      : rows_(rows),
        links_(rows + 1, {static_cast<RowId>(rows), static_cast<RowId>(rows)}),
        row_bytes_(std::max<std::size_t>(rows, 1) * sizeof(T)),
        capacity_(max_bytes / row_bytes_) {
    if (capacity_ < 2) {
      throw std::invalid_argument("max_bytes=" + std::to_string(max_bytes) + " is too small: two rows take " +
                                  std::to_string(2 * row_bytes_) + " bytes");
    }
    memory_ = std::make_shared<RowMemory<T>>(rows, std::min(rows, capacity_));
  }

  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }  // in rows

  // The row if it is kept, which makes it the one used last; else nothing.
  [[nodiscard]] Row find(RowId number) {
    const std::scoped_lock lock(mutex_);
    if (rows_[number]) touch(number);
    return rows_[number];
  }

  [[nodiscard]] bool holds(RowId number) const {
    const std::scoped_lock lock(mutex_);
    return rows_[number] != nullptr;
  }

  // Keeps a copy of a row that was computed, unless another thread was faster; returns the one that is kept.
  Row add(RowId number, std::span<const T> values) {
    const std::shared_ptr<T[]> row = memory_->take();
    std::ranges::copy(values, row.get());
    Row dropped;  // freed after the lock
    const std::scoped_lock lock(mutex_);
    ++computed_;
    if (rows_[number]) return rows_[number];
    if (held_ == capacity_) dropped = drop_oldest();
    rows_[number] = row;
    ++held_;
    link(number);
    return row;
  }

  [[nodiscard]] std::size_t nbytes() const {
    const std::scoped_lock lock(mutex_);
    return held_ * row_bytes_ + rows_.size() * (sizeof(Row) + sizeof(Link));
  }
  [[nodiscard]] std::size_t computed() const {
    const std::scoped_lock lock(mutex_);
    return computed_;
  }

 private:
  // A ring through the rows that are kept, in order of use; the last entry is its beginning.
  struct Link {
    RowId newer;
    RowId older;
  };

  [[nodiscard]] RowId ring() const noexcept { return static_cast<RowId>(rows_.size()); }
  void link(RowId number) {
    Link& begin = links_[ring()];
    links_[number] = {ring(), begin.older};
    links_[begin.older].newer = number;
    begin.older = number;
  }
  void unlink(RowId number) {
    const Link gone = links_[number];
    links_[gone.older].newer = gone.newer;
    links_[gone.newer].older = gone.older;
  }
  void touch(RowId number) {
    unlink(number);
    link(number);
  }
  Row drop_oldest() {
    const RowId oldest = links_[ring()].newer;
    unlink(oldest);
    --held_;
    return std::exchange(rows_[oldest], nullptr);
  }

  mutable std::mutex mutex_;
  std::vector<Row> rows_;
  std::vector<Link> links_;
  std::size_t row_bytes_;
  std::size_t capacity_;
  std::shared_ptr<RowMemory<T>> memory_;
  std::size_t held_ = 0;
  std::size_t computed_ = 0;
};

}  // namespace gristmill::solve::batch
