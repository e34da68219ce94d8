// SPDX-License-Identifier: BSD-3-Clause
// What deciding without finishing saved.
#pragma once
#include <cstdint>

namespace gristmill::score {

struct EarlyStopStats {
  std::uint64_t rows = 0;
  std::uint64_t stopped = 0;   // rows whose answer was certain before all of their features were looked at
  std::uint64_t features = 0;  // known features of all rows
  std::uint64_t skipped = 0;   // of which were not looked at beyond their own weight

  void add(std::uint64_t known, std::uint64_t looked_at) {
    ++rows;
    features += known;
    skipped += known - looked_at;
    stopped += looked_at < known ? 1 : 0;
  }

  EarlyStopStats& operator+=(const EarlyStopStats& other) {
    rows += other.rows;
    stopped += other.stopped;
    features += other.features;
    skipped += other.skipped;
    return *this;
  }
};

}  // namespace gristmill::score
