// SPDX-License-Identifier: BSD-3-Clause
// Scores many rows with any scorer: threads share the scorer, each with a scratch of its own, and equal rows are scored
// once.
#pragma once
#include <vector>

#include "base/parallel.hpp"
#include "rows/repeats.hpp"
#include "rows/rows.hpp"
#include "score/decision_policy.hpp"
#include "score/early_stop_stats.hpp"

namespace gristmill::score {

constexpr std::size_t score_grain = 16;  // rows handed to a thread at once

// piece(begin, end, worker, scratch) for all rows, in pieces.
template <class Scorer, class Piece>
void for_pieces(const Scorer& scorer, std::size_t rows, std::size_t grain, std::size_t threads, Observer& observer,
                Piece piece) {
  std::vector<typename Scorer::Scratch> scratch(threads_for(rows, grain, threads), scorer.make_scratch());
  parallel_for(rows, grain, threads, observer, [&](std::size_t begin, std::size_t end, std::size_t worker) {
    piece(begin, end, worker, scratch[worker]);
  });
}

// A scorer that takes rows one by one.
template <class Scorer>
void score_distinct(const Scorer& scorer, rows::Rows rows, std::span<double> out, std::size_t threads,
                    Observer& observer) {
  const std::size_t outputs = scorer.outputs();
  for_pieces(scorer, rows.size(), score_grain, threads, observer,
             [&](std::size_t begin, std::size_t end, std::size_t, auto& scratch) {
               for (std::size_t row = begin; row < end; ++row) {
                 scorer.score(rows[row], out.subspan(row * outputs, outputs), scratch);
               }
             });
}

// A scorer that takes several rows at once, to keep them in flight.
template <class Scorer>
  requires requires { Scorer::grain; }
void score_distinct(const Scorer& scorer, rows::Rows rows, std::span<double> out, std::size_t threads,
                    Observer& observer) {
  for_pieces(scorer, rows.size(), Scorer::grain, threads, observer,
             [&](std::size_t begin, std::size_t end, std::size_t, auto& scratch) {
               scorer.score(rows, begin, end, out, scratch);
             });
}

// run(rows, out) on the distinct rows, if there are repeats worth the search, and the results to all.
template <class T, class Run>
void once_each(rows::Rows rows, std::size_t width, double worth, std::span<T> out, Run run) {
  const std::optional<rows::Repeats> repeats = rows::Repeats::find(rows, worth);
  if (!repeats) return run(rows, out);
  std::vector<T> values(repeats->distinct().size() * width);
  run(repeats->distinct(), std::span<T>(values));
  repeats->spread<T>(values, width, out);
}

// Repeats per row from which on a search for them pays: scorers that look up are nearly as fast as the search.
template <class Scorer>
constexpr double worth_searching = 0.02;
template <class Scorer>
  requires requires { Scorer::grain; }
constexpr double worth_searching<Scorer> = 0.2;

template <class Scorer>
void score_rows(const Scorer& scorer, rows::Rows rows, std::span<double> out, std::size_t threads, Observer& observer) {
  once_each(rows, scorer.outputs(), worth_searching<Scorer>, out, [&](rows::Rows distinct, std::span<double> scores) {
    score_distinct(scorer, distinct, scores, threads, observer);
  });
}

// A scorer that decides classes without finishing scores. Returns what that took; equal rows count once.
template <class Scorer>
EarlyStopStats decide_rows(const Scorer& scorer, rows::Rows rows, const DecisionPolicy& policy,
                           std::span<const double> doubt, std::span<std::int32_t> out, std::size_t threads,
                           Observer& observer) {
  EarlyStopStats total;
  once_each(rows, 1, worth_searching<Scorer>, out, [&](rows::Rows distinct, std::span<std::int32_t> classes) {
    std::vector<EarlyStopStats> efforts(threads_for(distinct.size(), Scorer::grain, threads));
    for_pieces(scorer, distinct.size(), Scorer::grain, threads, observer,
               [&](std::size_t begin, std::size_t end, std::size_t worker, auto& scratch) {
                 scorer.decide(distinct, begin, end, policy, doubt, classes, scratch, efforts[worker]);
               });
    for (const EarlyStopStats& early_stops : efforts) total += early_stops;
  });
  return total;
}

template <class Scorer>
void score_real_rows(const Scorer& scorer, rows::RealRows rows, std::span<double> out, std::size_t threads,
                     Observer& observer) {
  for_pieces(scorer, rows.rows.size(), Scorer::grain, threads, observer,
             [&](std::size_t begin, std::size_t end, std::size_t, auto& scratch) {
               scorer.score(rows, begin, end, out, scratch);
             });
}

}  // namespace gristmill::score
