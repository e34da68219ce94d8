// SPDX-License-Identifier: BSD-3-Clause
// The threads of a solver and who watches them: pieces of work that do not depend on one another, call after call.
#pragma once
#include <cstddef>
#include <functional>

#include "base/crew.hpp"
#include "base/observer.hpp"

namespace gristmill::solve::tables {

class Workers {
 public:
  explicit Workers(std::size_t threads) : crew_(threads) {}

  [[nodiscard]] std::size_t size() const noexcept { return crew_.size(); }

  // From here on, the observer hears of this progress after each piece, and may end the work.
  void watch(Observer* observer) noexcept { observer_ = observer; }
  void set_progress(std::size_t done, std::size_t total) noexcept {
    done_ = done;
    total_ = total;
  }
  [[nodiscard]] std::size_t done() const noexcept { return done_; }

  // body(piece, worker); worker < size() names the caller's scratch.
  template <class Body>
  void run(std::size_t pieces, const Body& body) {
    const auto ask = [this] {
      if (observer_ != nullptr) require(*observer_, done_, total_);
    };
    if (pieces <= 1 || size() == 1) {  // a small piece takes less than waking others
      for (std::size_t piece = 0; piece < pieces; ++piece) {
        body(piece, 0);
        ask();
      }
      return;
    }
    const auto work = [&](std::size_t piece, std::size_t worker) {
      body(piece, worker);
      if (worker == 0) ask();
    };
    crew_.run(pieces, work, ask);
  }

 private:
  Crew crew_;
  Observer* observer_ = nullptr;
  std::size_t done_ = 0;
  std::size_t total_ = 1;
};

}  // namespace gristmill::solve::tables
