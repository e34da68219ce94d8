// SPDX-License-Identifier: BSD-3-Clause
// Lets pieces of a parallel loop that may take minutes be stopped: an observer in front of another that remembers when
// the work was to end, for all threads to see; and what each worker asks in the midst of its work.
#pragma once
#include <atomic>
#include <utility>

#include "base/observer.hpp"

namespace gristmill::inline base {

class Stop final : public Observer {
 public:
  static constexpr std::size_t patience = std::size_t{1} << 16U;  // steps between questions: observers look at a clock

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
    steps_ += steps;
    if (steps_ < patience) return;
    steps_ = 0;
    require(*this, done_, total_);
  }

 private:
  Observer& observer_;
  std::atomic<bool> stopped_{false};
  std::size_t done_ = 0;  // as of the last report
  std::size_t total_ = 1;
  std::size_t steps_ = 0;  // of worker 0 since it asked
};

// For one worker, to be called with the steps taken since the last call, as often as it likes: cheap enough for inner
// loops. Throws Interrupted when the work is to end. It counts by itself, so it must live at least as long as a piece
// of a parallel loop.
class Pulse {
 public:
  Pulse() = default;  // nobody stops the work
  Pulse(Stop& stop, std::size_t worker) : stop_(&stop), worker_(worker) {}
  Pulse(const Pulse&) = delete;
  Pulse& operator=(const Pulse&) = delete;

  void operator()(std::size_t steps) {
    steps_ += steps;
    if (steps_ >= Stop::patience) ask();
  }

 private:
  void ask() {
    const std::size_t steps = std::exchange(steps_, 0);
    if (stop_ != nullptr) stop_->poll(worker_, steps);
  }

  Stop* stop_ = nullptr;
  std::size_t worker_ = 0;
  std::size_t steps_ = 0;  // since it asked
};

}  // namespace gristmill::inline base
