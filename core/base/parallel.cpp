// SPDX-License-Identifier: BSD-3-Clause
#include "base/parallel.hpp"

#include <algorithm>
#include <atomic>

#include "base/crew.hpp"

namespace gristmill::inline base {
namespace {

std::size_t pieces_of(std::size_t n, std::size_t grain) { return (n + grain - 1) / grain; }

}  // namespace

std::size_t threads_for(std::size_t n, std::size_t grain, std::size_t threads) noexcept {
  return std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(pieces_of(n, grain), 1));
}

void parallel_for(std::size_t n, std::size_t grain, std::size_t threads, Observer& observer, const LoopBody& body) {
  std::atomic<std::size_t> done{0};
  const auto report = [&] { require(observer, done, n); };
  const auto work = [&](std::size_t piece, std::size_t worker) {
    const std::size_t begin = piece * grain;
    const std::size_t end = std::min(begin + grain, n);
    body(begin, end, worker);
    done += end - begin;
    if (worker == 0) report();
  };
  Crew crew(threads_for(n, grain, threads));
  crew.run(pieces_of(n, grain), work, report);
  observer.advance(n, n);  // others may have worked off the last piece
}

}  // namespace gristmill::inline base
