// SPDX-License-Identifier: BSD-3-Clause
// Threads that work off pieces together, call after call. Between calls they sleep; one that wakes up late finds less
// to do, and nobody waits for it.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace gristmill::inline base {

class Crew {
 public:
  // worker < size() names the caller's scratch.
  using Body = std::function<void(std::size_t piece, std::size_t worker)>;

  explicit Crew(std::size_t threads = 1);
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew();

  [[nodiscard]] std::size_t size() const noexcept { return others_.size() + 1; }

  // Pieces are handed out in order; the calling thread is worker 0. The first exception of any thread stops all of them
  // and is rethrown here. waiting() is called every now and then while others are at their last pieces; should it
  // throw, that is such an exception too.
  void run(std::size_t pieces, const Body& body, const std::function<void()>& waiting = {});

 private:
  void serve(std::size_t worker);
  void work(std::size_t worker) noexcept;
  // action(), whose exceptions are noted.
  template <class Action>
  void attempt(const Action& action) noexcept;
  // An interruption gives way to any other error.
  void note_error(bool is_cause) noexcept;
  void dismiss() noexcept;

  std::mutex mutex_;
  std::condition_variable called_;
  std::condition_variable left_;
  const Body* body_ = nullptr;  // none between calls
  std::size_t pieces_ = 0;
  std::atomic<std::size_t> next_{0};
  std::size_t call_ = 0;    // which one this is
  std::size_t active_ = 0;  // of the others
  bool dismissed_ = false;
  std::exception_ptr error_;
  bool has_cause_ = false;  // the error is no mere interruption
  std::vector<std::thread> others_;
};

}  // namespace gristmill::inline base
