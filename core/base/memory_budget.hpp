// SPDX-License-Identifier: BSD-3-Clause
// What the miners of all threads may write together.
#pragma once
#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace gristmill::inline base {

class PatternsTooLargeError : public std::length_error {
 public:
  using std::length_error::length_error;
};

class MemoryBudget {
 public:
  // what: "the ... of the data"; advice: what to do where they do not fit, or nothing.
  MemoryBudget(std::size_t max_bytes, std::string what, std::string advice = {})
      : max_bytes_(max_bytes), what_(std::move(what)), advice_(std::move(advice)) {}

  void check(std::size_t bytes) const {
    if (bytes > max_bytes_) fail();
  }
  void take(std::size_t bytes) {
    if (taken_.fetch_add(bytes, std::memory_order_relaxed) + bytes > max_bytes_) fail();
  }

  [[noreturn]] void fail() const {
    throw PatternsTooLargeError(what_ + " take more than max_bytes = " + std::to_string(max_bytes_) + advice_);
  }

 private:
  std::size_t max_bytes_;
  std::string what_;
  std::string advice_;
  std::atomic<std::size_t> taken_{0};
};

}  // namespace gristmill::inline base
