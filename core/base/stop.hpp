// SPDX-License-Identifier: BSD-3-Clause
// Lets pieces of a parallel loop that may take minutes be stopped: an observer in front of another that remembers when
// the work was to end, for all threads to see.
#pragma once
#include <atomic>

#include "base/errors.hpp"
#include "base/observer.hpp"

namespace gristmill::inline base {

class Stop final : public Observer {
 public:
  explicit Stop(Observer& observer) : observer_(observer) {}

  bool advance(std::size_t done, std::size_t total) override {
    done_ = done;
    total_ = total;
    try {
      if (observer_.advance(done, total)) return true;
    } catch (...) {
      stopped_ = true;
      throw;
    }
    stopped_ = true;
    return false;
  }

  // Ends the work of all threads, whatever the observer says.
  void request() { stopped_ = true; }

  // To be called now and then by every worker, with what it has done since, in steps of some nanoseconds; worker 0 is
  // the thread that started the work.
  void poll(std::size_t worker, std::size_t steps) {
    if (stopped_.load(std::memory_order_relaxed)) throw Interrupted();
    if (worker != 0) return;
    constexpr std::size_t patience = std::size_t{1} << 16U;  // observers look at a clock
    steps_ += steps;
    if (steps_ < patience) return;
    steps_ = 0;
    if (!advance(done_, total_)) throw Interrupted();
  }

 private:
  Observer& observer_;
  std::atomic<bool> stopped_{false};
  std::size_t done_ = 0;  // as of the last report
  std::size_t total_ = 1;
  std::size_t steps_ = 0;  // of worker 0 since it asked
};

}  // namespace gristmill::inline base
