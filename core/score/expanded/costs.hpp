// SPDX-License-Identifier: BSD-3-Clause
// What scoring a row costs with each engine: counts of what has to be touched, weighed with constants. The constants
// are part of the release, so that a choice made from them is the same everywhere; `python -m benchmarks engine_costs`
// measures how well they fit, and fits new ones.
#pragma once
#include <vector>

#include "machine/machine.hpp"

namespace gristmill::score::expanded {

constexpr double megabyte = 1 << 20;

// What scoring one row touches, on average.
struct Work {
  double features = 0;     // known to the machine
  double overlap = 0;      // with a support row taken at random
  double comparisons = 0;  // to sort them, where there are many
  double entries = 0;      // of the block of dense conjunctions
  double distance = 0;     // megabytes that lie before them, summed over them: what is far off is in no cache
  double probes = 0;       // of the combs of common conjunctions
  double rare = 0;         // features, ...
  double lines = 0;        // ... their lines, ...
  double line_words = 0;   // ... and what these list beyond the bitmap
  double postings = 0;     // of the inverted index: entries, ...
  double touched = 0;      // ... those of them whose support rows are noted one by one, ...
  double columns = 0;      // ... whole columns, ...
  double passes = 0;       // ... and passes over all support rows
  double bit_columns = 0;  // of columns of bits: those looked at, ...
  double bit_lists = 0;    // ... and the entries of lists
};

// A part of what a row costs.
struct CostTerm {
  const char* name;  // of what is counted
  double each;       // nanoseconds
  double count;      // a row, on average
};
using Terms = std::vector<CostTerm>;

struct Costs {
  Terms direct;
  Terms inverted;
  Terms bits;
  Terms expanded;
};

// Without those of an expansion where the kernel has none.
[[nodiscard]] Costs costs_of(const Work& work, const machine::SetMachine& machine);

[[nodiscard]] double nanoseconds(const Terms& terms);

}  // namespace gristmill::score::expanded
