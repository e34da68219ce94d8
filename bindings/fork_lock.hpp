// SPDX-License-Identifier: BSD-3-Clause
// A readers-writer lock that a fork cannot leave locked. A child process has none of its parent's other threads: a lock
// that one of them held would never be given back. So a lock is one word that names the process whose threads hold it.
// What another process's threads were reading is free; what one of them was changing is torn, and is refused.
#pragma once
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>

namespace gristmill::bindings {

class ForkLock {
 public:
  // Held until it goes out of scope.
  class Hold {
   public:
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    ~Hold() { lock_.release(share_); }

   private:
    friend class ForkLock;
    Hold(ForkLock& lock, std::uint64_t share) : lock_(lock), share_(share) { lock_.acquire(share_); }

    ForkLock& lock_;
    std::uint64_t share_;
  };

  // Beside others who read, or alone. Throw std::runtime_error if the parent process was forked amid a change.
  [[nodiscard]] Hold read() { return {*this, own() | reader}; }
  [[nodiscard]] Hold write() { return {*this, own() | writer}; }

 private:
  static constexpr std::uint64_t reader = 1;
  static constexpr std::uint64_t writer = std::uint64_t{1} << 31U;
  static constexpr std::uint64_t holders = (std::uint64_t{1} << 32U) - 1;  // below the number of the process

  [[nodiscard]] static std::uint64_t own() { return static_cast<std::uint64_t>(getpid()) << 32U; }
  [[nodiscard]] static bool is_same(std::uint64_t a, std::uint64_t b) { return (a & ~holders) == (b & ~holders); }

  void acquire(std::uint64_t share) {
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    for (;;) {
      if (!is_same(word, share) && (word & writer) != 0) fail_torn();
      const std::uint64_t others = is_same(word, share) ? word & holders : 0;
      const bool must_wait = (others & writer) != 0 || ((share & writer) != 0 && others != 0);
      if (must_wait) {
        word_.wait(word, std::memory_order_relaxed);
        word = word_.load(std::memory_order_relaxed);
      } else if (word_.compare_exchange_weak(word, share + others, std::memory_order_acquire,
                                             std::memory_order_relaxed)) {
        return;
      }
    }
  }

  // What was acquired before a fork is held no more in the child, unless it is a change that nobody has refused yet.
  void release(std::uint64_t share) {
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    while (is_same(word, share)) {
      if (!word_.compare_exchange_weak(word, word - (share & holders), std::memory_order_release,
                                       std::memory_order_relaxed)) {
        continue;
      }
      return word_.notify_all();
    }
  }

  [[noreturn]] static void fail_torn() {
    throw std::runtime_error(
        "this forest was being changed by another thread when the process was forked, so the child process cannot use "
        "it: fork before or after, or give the child a copy (multiprocessing with 'spawn' does)");
  }

  std::atomic<std::uint64_t> word_{0};
};

}  // namespace gristmill::bindings
