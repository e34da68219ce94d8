// SPDX-License-Identifier: BSD-3-Clause
// Memory for rows of one length, in slabs of large pages: rows come and go by the thousand, and asking the system for
// each would cost as much as computing it.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "base/large_pages.hpp"

namespace gristmill::solve::batch {

template <class T>
class RowMemory : public std::enable_shared_from_this<RowMemory<T>> {
 public:
  // Rows of `length`, about `most` of them.
  RowMemory(std::size_t length, std::size_t most)
      : length_(std::max<std::size_t>(length, 1)),
        rows_per_slab_(std::clamp<std::size_t>(slab_bytes / (length_ * sizeof(T)), 1, std::max<std::size_t>(most, 1))) {
  }
  RowMemory(const RowMemory&) = delete;
  RowMemory& operator=(const RowMemory&) = delete;
  ~RowMemory() {
    for (T* slab : slabs_) LargePages<T>().deallocate(slab, rows_per_slab_ * length_);
  }

  // A row with any content, given back when nobody holds it.
  [[nodiscard]] std::shared_ptr<T[]> take() {
    T* row = next();
    return std::shared_ptr<T[]>(row, [memory = this->shared_from_this()](T* one) { memory->give_back(one); });
  }

 private:
  static constexpr std::size_t slab_bytes = std::size_t{16} << 20U;

  [[nodiscard]] T* next() {
    const std::scoped_lock lock(mutex_);
    if (free_.empty()) add_slab();
    T* row = free_.back();
    free_.pop_back();
    return row;
  }

  void add_slab() {
    slabs_.reserve(slabs_.size() + 1);
    free_.reserve((slabs_.size() + 1) * rows_per_slab_);  // giving back then never allocates
    T* slab = LargePages<T>().allocate(rows_per_slab_ * length_);
    slabs_.push_back(slab);
    for (std::size_t row = rows_per_slab_; row-- > 0;) free_.push_back(slab + row * length_);
  }

  void give_back(T* row) noexcept {
    const std::scoped_lock lock(mutex_);
    free_.push_back(row);
  }

  std::mutex mutex_;
  std::size_t length_;
  std::size_t rows_per_slab_;
  std::vector<T*> slabs_;
  std::vector<T*> free_;
};

}  // namespace gristmill::solve::batch
