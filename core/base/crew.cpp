// SPDX-License-Identifier: BSD-3-Clause
#include "base/crew.hpp"

#include <chrono>
#include <utility>

#include "base/errors.hpp"

namespace gristmill::inline base {
namespace {

constexpr std::chrono::milliseconds patience(50);

}  // namespace

Crew::Crew(std::size_t threads) {
  try {
    for (std::size_t worker = 1; worker < threads; ++worker) others_.emplace_back([this, worker] { serve(worker); });
  } catch (...) {  // the system has no more threads
    dismiss();
    throw;
  }
}

Crew::~Crew() { dismiss(); }

void Crew::dismiss() noexcept {
  {
    const std::scoped_lock lock(mutex_);
    dismissed_ = true;
  }
  called_.notify_all();
  for (std::thread& other : others_) other.join();
}

template <class Action>
void Crew::attempt(const Action& action) noexcept {
  try {
    action();
  } catch (const Interrupted&) {  // often the echo of what another thread was told
    note_error(false);
  } catch (...) {
    note_error(true);
  }
}

void Crew::run(std::size_t pieces, const Body& body, const std::function<void()>& waiting) {
  {
    const std::scoped_lock lock(mutex_);
    body_ = &body;
    pieces_ = pieces;
    next_ = 0;
    has_cause_ = false;
    ++call_;
  }
  if (pieces > 1) called_.notify_all();
  work(0);
  std::unique_lock lock(mutex_);
  while (!left_.wait_for(lock, patience, [&] { return active_ == 0; })) {
    if (!waiting || error_) continue;
    lock.unlock();
    attempt(waiting);
    lock.lock();
  }
  body_ = nullptr;
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void Crew::serve(std::size_t worker) {
  std::unique_lock lock(mutex_);
  for (std::size_t last = 0;;) {
    called_.wait(lock, [&] { return dismissed_ || (call_ != last && body_ != nullptr); });
    if (dismissed_) return;
    last = call_;
    ++active_;
    lock.unlock();
    work(worker);
    lock.lock();
    if (--active_ == 0) left_.notify_one();
  }
}

void Crew::note_error(bool is_cause) noexcept {
  const std::scoped_lock lock(mutex_);
  if (!error_ || (is_cause && !has_cause_)) error_ = std::current_exception();
  has_cause_ = has_cause_ || is_cause;
  next_ = pieces_;
}

void Crew::work(std::size_t worker) noexcept {
  attempt([&] {
    for (std::size_t piece = next_++; piece < pieces_; piece = next_++) (*body_)(piece, worker);
  });
}

}  // namespace gristmill::inline base
