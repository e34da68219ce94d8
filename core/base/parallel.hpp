// SPDX-License-Identifier: BSD-3-Clause
// A loop over [0, n) shared by threads, in pieces handed out in order. Pieces must not depend on one another, so the
// number of threads cannot change a result.
#pragma once
#include <cstddef>
#include <functional>

#include "base/observer.hpp"

namespace gristmill::inline base {

// body(begin, end, worker): worker < threads_for(n, grain, threads) names the caller's scratch.
using LoopBody = std::function<void(std::size_t begin, std::size_t end, std::size_t worker)>;

// Never more threads than pieces, never fewer than one.
[[nodiscard]] std::size_t threads_for(std::size_t n, std::size_t grain, std::size_t threads) noexcept;

// The calling thread works too and alone talks to the observer, at last with (n, n). The first exception of any thread
// stops all of them and is rethrown here.
void parallel_for(std::size_t n, std::size_t grain, std::size_t threads, Observer& observer, const LoopBody& body);

}  // namespace gristmill::inline base
