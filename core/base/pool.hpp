// SPDX-License-Identifier: BSD-3-Clause
// Things that take long to make and can be used again, by one user at a time: each thread of a call takes one and gives
// it back with all that it has learned.
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
  // One that nobody uses, or what make() gives.
  template <class Make>
  [[nodiscard]] std::unique_ptr<T> take(Make make) {
    if (std::unique_ptr<T> found = take_idle()) return found;
    return make();
  }
  [[nodiscard]] std::unique_ptr<T> take() { return take(std::make_unique<T>); }

  // Kept if there are not as many already as can be used at once.
  void give_back(std::unique_ptr<T> thing) {
    const std::scoped_lock lock(mutex_);
    if (thing && idle_.size() < most_idle()) idle_.push_back(std::move(thing));
  }
  void give_back(std::vector<std::unique_ptr<T>> things) {
    for (std::unique_ptr<T>& thing : things) give_back(std::move(thing));
  }

 private:
  // Asked once: the system answers from a file, which takes as long as a short sentence.
  [[nodiscard]] static std::size_t most_idle() noexcept {
    static const std::size_t cores = std::max(std::thread::hardware_concurrency(), 1U);
    return cores;
  }

  std::unique_ptr<T> take_idle() {
    const std::scoped_lock lock(mutex_);
    if (idle_.empty()) return nullptr;
    std::unique_ptr<T> found = std::move(idle_.back());
    idle_.pop_back();
    return found;
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> idle_;
};

}  // namespace gristmill::inline base
