// SPDX-License-Identifier: BSD-3-Clause
#include "base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/errors.hpp"

namespace gristmill {
namespace {

class SharedLoop {
 public:
  SharedLoop(std::size_t n, std::size_t grain, const LoopBody& body) : n_(n), grain_(grain), body_(body) {}

  // Works off one piece; false when none is left or the loop was stopped.
  bool work_once(std::size_t worker) {
    const std::size_t begin = next_.fetch_add(grain_);
    if (stopped_ || begin >= n_) return false;
    const std::size_t end = std::min(begin + grain_, n_);
    body_(begin, end, worker);
    done_ += end - begin;
    return true;
  }

  void run(std::size_t worker) noexcept {
    try {
      while (work_once(worker)) {
      }
    } catch (...) {
      fail();
    }
  }

  void run_observed(Observer& observer) noexcept {
    try {
      while (work_once(0)) {
        if (!observer.advance(done_, n_)) throw Interrupted();
      }
    } catch (...) {
      fail();
    }
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void fail() noexcept {
    const std::scoped_lock lock(mutex_);
    if (!error_) error_ = std::current_exception();
    stopped_ = true;
  }

  const std::size_t n_;
  const std::size_t grain_;
  const LoopBody& body_;
  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> done_{0};
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace

std::size_t threads_for(std::size_t n, std::size_t grain, std::size_t threads) noexcept {
  const std::size_t pieces = (n + grain - 1) / grain;
  return std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(pieces, 1));
}

void parallel_for(std::size_t n, std::size_t grain, std::size_t threads, Observer& observer, const LoopBody& body) {
  SharedLoop loop(n, grain, body);
  {
    std::vector<std::jthread> others;
    for (std::size_t worker = 1; worker < threads_for(n, grain, threads); ++worker) {
      others.emplace_back([&loop, worker] { loop.run(worker); });
    }
    loop.run_observed(observer);
  }
  loop.rethrow();
  observer.advance(n, n);  // others may have worked off the last piece
}

}  // namespace gristmill
