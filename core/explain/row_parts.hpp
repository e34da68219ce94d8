// SPDX-License-Identifier: BSD-3-Clause
// What support rows give to the features of an example is added up row by row: the coefficients of the row, times a
// factor that depends on how many features it shares.
#pragma once
#include <span>

#include "machine/coefficients.hpp"

namespace gristmill {

// A machine with one output: the part of a row is a number.
struct OneOutput {
  std::span<const double> coef;

  static constexpr std::size_t outputs = 1;
  static constexpr std::size_t most_together = 5;  // frequent features: sums of 2^5 x 2^5 codes stay in the cache

  [[nodiscard]] double part(std::size_t row, double factor) const { return coef[row] * factor; }
  static void add(std::size_t, double part, double* out) { *out += part; }
};

// Several: it is a factor for the coefficients of the row.
struct ManyOutputs {
  const Coefficients& coef;
  std::size_t outputs;
  std::size_t most_together;

  explicit ManyOutputs(const Coefficients& all)
      : coef(all),
        outputs(all.outputs()),
        most_together(outputs <= 4    ? 4
                      : outputs <= 32 ? 3
                                      : 2) {}

  [[nodiscard]] static double part(std::size_t, double factor) { return factor; }
  void add(std::size_t row, double part, double* out) const { coef.add_row(row, part, {out, outputs}); }
};

template <class Work>
void with_outputs(const Coefficients& coef, Work work) {
  if (const std::span<const double> column = coef.only_column(); !column.empty()) return work(OneOutput{column});
  work(ManyOutputs(coef));
}

// The parts of all rows, by what they share. What is written is nobody else's, or every row would be looked up again.
template <class Outputs, class Counter>
void weigh_all(const Outputs with, std::span<const Counter> counters, const double* factor, double* __restrict parts) {
  for (std::size_t row = 0; row < counters.size(); ++row) parts[row] = with.part(row, factor[counters[row]]);
}

inline void add_sums(double* to, const double* from, std::size_t outputs) {
  for (std::size_t o = 0; o < outputs; ++o) to[o] += from[o];
}

}  // namespace gristmill
