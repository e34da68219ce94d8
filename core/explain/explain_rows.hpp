// SPDX-License-Identifier: BSD-3-Clause
// Explains many rows: threads share the explainer, each with a scratch of its own.
#pragma once
#include "base/parallel.hpp"
#include "explain/shapley.hpp"
#include "score/batch.hpp"

namespace gristmill {

// out: entries of the rows x outputs.
inline void explain_values(const ShapleyExplainer& explainer, Rows rows, std::span<double> out, std::size_t threads,
                           Observer& observer) {
  const std::size_t outputs = explainer.outputs();
  for_pieces(explainer, rows.size(), score_grain, threads, observer,
             [&](std::size_t begin, std::size_t end, std::size_t, auto& scratch) {
               for (std::size_t row = begin; row < end; ++row) {
                 const auto first = static_cast<std::size_t>(rows.offsets[row]) * outputs;
                 explainer.values(rows[row], out.subspan(first, rows.length(row) * outputs), scratch);
               }
             });
}

// starts: where the pairs of each row begin, counted in pairs, and their end; out: pairs x outputs.
inline void explain_interactions(const ShapleyExplainer& explainer, Rows rows, std::span<const Offset> starts,
                                 std::span<double> out, std::size_t threads, Observer& observer) {
  const std::size_t outputs = explainer.outputs();
  for_pieces(explainer, rows.size(), score_grain, threads, observer,
             [&](std::size_t begin, std::size_t end, std::size_t, auto& scratch) {
               for (std::size_t row = begin; row < end; ++row) {
                 const auto first = static_cast<std::size_t>(starts[row]) * outputs;
                 const std::size_t size = ShapleyExplainer::pairs(rows.length(row)) * outputs;
                 explainer.interactions(rows[row], out.subspan(first, size), scratch);
               }
             });
}

}  // namespace gristmill
