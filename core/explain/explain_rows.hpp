// SPDX-License-Identifier: BSD-3-Clause
// Explains many rows: threads share the explainer, each with a scratch of its own.
#pragma once
#include "base/parallel.hpp"
#include "explain/shapley.hpp"
#include "score/batch.hpp"

namespace gristmill::explain {

// values: entries of the rows x outputs. starts: where the pairs of each row begin, counted in pairs; interactions:
// pairs x outputs; both empty, if nobody asks for these.
inline void explain_rows(const ShapleyExplainer& explainer, rows::Rows rows, std::span<double> values,
                         std::span<const Offset> starts, std::span<double> interactions, std::size_t threads,
                         Observer& observer) {
  const std::size_t outputs = explainer.outputs();
  score::for_pieces(explainer, rows.size(), score::score_grain, threads, observer,
                    [&](std::size_t begin, std::size_t end, std::size_t, auto& scratch) {
                      for (std::size_t row = begin; row < end; ++row) {
                        const auto first = static_cast<std::size_t>(rows.offsets[row]) * outputs;
                        std::span<double> pairs;
                        if (!starts.empty()) {
                          pairs = interactions.subspan(static_cast<std::size_t>(starts[row]) * outputs,
                                                       ShapleyExplainer::pairs(rows.length(row)) * outputs);
                        }
                        explainer.explain(rows[row], values.subspan(first, rows.length(row) * outputs), pairs, scratch);
                      }
                    });
}

}  // namespace gristmill::explain
