// SPDX-License-Identifier: BSD-3-Clause
#include "rows/patterns.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <stdexcept>

#include "base/hash.hpp"

namespace gristmill::rows {
namespace {

// Patterns by the rows they have: a table of the first pattern with each set of rows.
class FirstOfEquals {
 public:
  static constexpr std::uint32_t most = 0xFFFFFFFF;  // patterns are fewer

  explicit FirstOfEquals(const Patterns& patterns)
      : patterns_(patterns), slots_(std::bit_ceil(2 * patterns.size() + 1), none) {}

  std::size_t find_or_add(std::size_t pattern) {
    const std::span<const RowId> rows = patterns_[pattern];
    for (std::size_t slot = hash_of(rows);; ++slot) {
      std::uint32_t& first = slots_[slot & (slots_.size() - 1)];
      if (first == none) first = static_cast<std::uint32_t>(pattern);
      if (std::ranges::equal(patterns_[first], rows)) return first;
    }
  }

 private:
  static constexpr std::uint32_t none = most;

  const Patterns& patterns_;
  std::vector<std::uint32_t> slots_;
};

// Most rows first, else in the order given.
std::vector<std::size_t> by_frequency(const Patterns& patterns, std::vector<std::size_t> chosen) {
  std::ranges::stable_sort(chosen, std::greater{}, [&](std::size_t pattern) { return patterns[pattern].size(); });
  return chosen;
}

}  // namespace

Patterns Patterns::joined(std::vector<Patterns> parts) {
  Patterns all;
  std::size_t size = 0;
  std::size_t occurrences = 0;
  for (const Patterns& part : parts) size += part.size(), occurrences += part.occurrences();
  all.rows_.reserve(size, occurrences);
  all.weights_.reserve(size);
  for (Patterns& part : parts) {
    all.rows_.append(part.rows_);
    all.weights_.insert(all.weights_.end(), part.weights_.begin(), part.weights_.end());
    part = {};
  }
  return all;
}

void Patterns::fit() {
  rows_.shrink_to_fit();
  weights_.shrink_to_fit();
}

Patterns Patterns::merged() const {
  if (size() >= FirstOfEquals::most) throw std::length_error("more than 2^32 patterns");
  FirstOfEquals firsts(*this);
  std::vector<double> sums(size(), 0);
  std::vector<std::size_t> chosen;
  for (std::size_t pattern = 0; pattern < size(); ++pattern) {
    const std::size_t first = firsts.find_or_add(pattern);
    if (first == pattern) chosen.push_back(pattern);
    sums[first] += weights_[pattern];
  }
  Patterns merged;
  for (const std::size_t pattern : by_frequency(*this, std::move(chosen))) {
    merged.rows_.add((*this)[pattern]);
    merged.weights_.push_back(sums[pattern]);
  }
  return merged;
}

}  // namespace gristmill::rows
