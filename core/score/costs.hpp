// SPDX-License-Identifier: BSD-3-Clause
// What scoring a row costs with each engine: counts of what has to be touched, weighed with constants. The constants
// are part of the release, so that a choice made from them is the same everywhere; `python -m benchmarks engine_costs`
// measures how well they fit.
#pragma once
#include "machine/machine.hpp"
#include "rows/ranked_rows.hpp"

namespace gristmill {

// What scoring one row touches, on average.
struct Work {
  double features = 0;  // known to the machine
  double entries = 0;   // of the block of dense conjunctions
  double probes = 0;    // of the combs of common conjunctions
  double lines = 0;     // of rare features
  double postings = 0;  // of the inverted index: entries ...
  double columns = 0;   // ... and whole columns
};

struct Costs {
  double direct = 0;  // nanoseconds a row
  double inverted = 0;
  double expanded = 0;
};

[[nodiscard]] Costs costs_of(const Work& work, std::size_t support_rows, std::size_t support_entries,
                             std::size_t outputs);

}  // namespace gristmill
