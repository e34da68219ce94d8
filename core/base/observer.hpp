// SPDX-License-Identifier: BSD-3-Clause
// Long work reports to an observer, which may stop it.
#pragma once
#include <cmath>
#include <cstddef>

#include "base/errors.hpp"

namespace gristmill::inline base {

class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;

  // Called often, always from the thread that started the work; returning false stops it with Interrupted.
  virtual bool advance(std::size_t done, std::size_t total) = 0;
};

// Reports, and ends the work if the observer wants it to.
inline void require(Observer& observer, std::size_t done, std::size_t total) {
  if (!observer.advance(done, total)) throw Interrupted();
}

// In front of the observer of the whole work for a part of it: what is done from `from` to `to` of `total`. With
// from == to that observer can stop the part and hears of no progress.
class Scaled final : public Observer {
 public:
  Scaled(Observer& observer, std::size_t from, std::size_t to, std::size_t total)
      : observer_(observer), from_(from), to_(to), total_(total) {}

  // Another part follows.
  void set_part(std::size_t from, std::size_t to) {
    from_ = from;
    to_ = to;
  }

  bool advance(std::size_t done, std::size_t total) override {
    const double part = done >= total ? 1.0 : static_cast<double>(done) / static_cast<double>(total);
    const auto own = static_cast<std::size_t>(std::llround(part * static_cast<double>(to_ - from_)));
    return observer_.advance(from_ + own, total_);
  }

 private:
  Observer& observer_;
  std::size_t from_;
  std::size_t to_;
  std::size_t total_;
};

}  // namespace gristmill::inline base
