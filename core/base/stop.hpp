// SPDX-License-Identifier: BSD-3-Clause
// Lets pieces of a parallel loop that may take minutes be stopped: an observer in front of another that remembers when
// the work was to end, for all threads to see.
#pragma once
#include <atomic>

#include "base/errors.hpp"
#include "base/observer.hpp"

namespace gristmill {

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

  // To be called now and then by every worker; worker 0 is the thread that started the work.
  void poll(std::size_t worker) {
    if (stopped_ || (worker == 0 && !advance(done_, total_))) throw Interrupted();
  }

 private:
  Observer& observer_;
  std::atomic<bool> stopped_{false};
  std::size_t done_ = 0;  // as of the last report
  std::size_t total_ = 1;
};

}  // namespace gristmill
