// SPDX-License-Identifier: BSD-3-Clause
// How decoders go through the sentences of a text: in pieces shared by threads, and several sentences of a piece at
// once, so that a scorer has several rows in flight.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "base/pool.hpp"
#include "base/stop.hpp"
#include "rows/rows.hpp"

namespace gristmill::text_apps::templates {

constexpr std::size_t lane_count = 32;   // sentences on their way at once
constexpr std::size_t row_steps = 1000;  // that a row counts for Pulse: the slowest scorers take milliseconds

// run(worker, begin, end, pulse) for all sentences; workers that nobody uses are idle, make() gives others.
template <class Worker, class Make, class Run>
void share_sentences(std::size_t sentences, std::size_t at_once, std::size_t threads, Observer& observer,
                     Pool<Worker>& idle, Make make, Run run) {
  Stop stop(observer);
  std::vector<std::unique_ptr<Worker>> workers(threads_for(sentences, at_once, threads));
  parallel_for(sentences, at_once, threads, stop, [&](std::size_t begin, std::size_t end, std::size_t number) {
    std::unique_ptr<Worker>& worker = workers[number];
    if (!worker) worker = idle.take(make);
    Pulse pulse(stop, number);
    run(*worker, begin, end, pulse);
  });
  idle.give_back(std::move(workers));
}

// start(lane, sentence): false where there is nothing to do. step(lanes on their way). is_done(lane): its sentence is.
template <class Lane, class Start, class Step, class IsDone>
void run_lanes(std::span<Lane> lanes, std::size_t begin, std::size_t end, Start start, Step step, IsDone is_done) {
  std::size_t active = 0;
  while (true) {
    while (active < lanes.size() && begin < end) active += start(lanes[active], begin++) ? 1 : 0;
    if (active == 0) return;
    step(lanes.first(active));
    for (std::size_t i = active; i-- > 0;) {
      if (is_done(lanes[i])) std::swap(lanes[i], lanes[--active]);
    }
  }
}

// Rows one after the other.
struct RowBatch {
  std::vector<Offset> offsets{0};
  std::vector<FeatureId> ids;

  void clear() {
    ids.clear();
    offsets.assign(1, 0);
  }
  void close_row() { offsets.push_back(static_cast<Offset>(ids.size())); }
  [[nodiscard]] std::size_t size() const noexcept { return offsets.size() - 1; }
  [[nodiscard]] rows::Rows rows() const { return {offsets, ids}; }
};

}  // namespace gristmill::text_apps::templates
