// SPDX-License-Identifier: BSD-3-Clause
// Explains many rows beside their references: each thread has an explainer of its own.
#pragma once
#include <span>
#include <type_traits>
#include <vector>

#include "base/parallel.hpp"
#include "base/stop.hpp"
#include "explain/contrasts.hpp"

namespace gristmill::explain {

// make(): an explainer, whose explain(contrasts, row, values, interactions, pulse) adds to what belongs to the row.
// values: players x outputs; interactions: pairs of players of row after row x outputs, or empty.
template <class Make>
void explain_contrasts(const Contrasts& contrasts, std::size_t outputs, std::span<double> values,
                       std::span<double> interactions, std::size_t threads, Observer& observer, const Make& make) {
  const std::size_t rows = contrasts.rows.size();
  const std::vector<std::size_t> pairs = pair_offsets(contrasts, !interactions.empty());
  std::vector<std::invoke_result_t<Make>> explainers;
  const std::size_t workers = threads_for(rows, 1, threads);
  explainers.reserve(workers);
  for (std::size_t worker = 0; worker < workers; ++worker) explainers.push_back(make());
  Stop stop(observer);
  parallel_for(rows, 1, threads, stop, [&](std::size_t row, std::size_t, std::size_t worker) {
    Pulse pulse(stop, worker);
    explainers[worker].explain(
        contrasts, row, values.subspan(contrasts.first_player(row) * outputs, contrasts.n_players(row) * outputs),
        interactions.subspan(pairs[row] * outputs, (pairs[row + 1] - pairs[row]) * outputs), pulse);
  });
}

}  // namespace gristmill::explain
