// SPDX-License-Identifier: BSD-3-Clause
// Things that take long to make and can be used again, by one user at a time.
#pragma once
#include <algorithm>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace gristmill::inline base {

template <class T>
class Pool {
 public:
  // One that nobody uses, or nothing.
  [[nodiscard]] std::unique_ptr<T> take() {
    const std::scoped_lock lock(mutex_);
    if (free_.empty()) return nullptr;
    std::unique_ptr<T> found = std::move(free_.back());
    free_.pop_back();
    return found;
  }
  // Kept if there are not as many already as can be used at once.
  void give_back(std::unique_ptr<T> thing) {
    const std::scoped_lock lock(mutex_);
    if (free_.size() < std::max(std::thread::hardware_concurrency(), 1U)) free_.push_back(std::move(thing));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> free_;
};

}  // namespace gristmill::inline base
