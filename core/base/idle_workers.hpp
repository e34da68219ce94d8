// SPDX-License-Identifier: BSD-3-Clause
// Workers that outlive a call: each thread of a call borrows one and gives it back with all that it has learned.
#pragma once
#include <memory>
#include <mutex>
#include <vector>

namespace gristmill::inline base {

template <class Worker>
class IdleWorkers {
 public:
  // An idle one, or what make() gives.
  template <class Make>
  [[nodiscard]] std::unique_ptr<Worker> borrow(Make make) {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<Worker> worker = std::move(idle_.back());
        idle_.pop_back();
        return worker;
      }
    }
    return make();
  }

  void give_back(std::vector<std::unique_ptr<Worker>> workers) {
    const std::lock_guard lock(mutex_);
    for (std::unique_ptr<Worker>& worker : workers) {
      if (worker) idle_.push_back(std::move(worker));
    }
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> idle_;
};

}  // namespace gristmill::inline base
