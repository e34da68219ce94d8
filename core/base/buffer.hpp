// SPDX-License-Identifier: BSD-3-Clause
// An immutable array that is either owned (made from a vector) or borrowed from memory that an owner keeps alive, such
// as a mapped file. Copies share.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace gristmill::inline base {

template <class T>
class Buffer {
 public:
  Buffer() = default;
  template <class Allocator>
  explicit Buffer(std::vector<T, Allocator> values) {
    auto kept = std::make_shared<const std::vector<T, Allocator>>(std::move(values));
    view_ = *kept;
    owner_ = std::move(kept);
  }
  Buffer(std::span<const T> view, std::shared_ptr<const void> owner) : view_(view), owner_(std::move(owner)) {}

  [[nodiscard]] const T* data() const noexcept { return view_.data(); }
  [[nodiscard]] std::size_t size() const noexcept { return view_.size(); }
  [[nodiscard]] bool empty() const noexcept { return view_.empty(); }
  [[nodiscard]] std::size_t nbytes() const noexcept { return view_.size_bytes(); }
  [[nodiscard]] std::span<const T> span() const noexcept { return view_; }
  const T& operator[](std::size_t at) const { return view_[at]; }

 private:
  std::span<const T> view_;
  std::shared_ptr<const void> owner_;
};

}  // namespace gristmill::inline base
