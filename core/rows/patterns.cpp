// SPDX-License-Identifier: BSD-3-Clause
#include "rows/patterns.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <iterator>
#include <stdexcept>

#include "base/sequence_hash.hpp"

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
  all.starts_.reserve(size + 1);
  all.rows_.reserve(occurrences);
  all.weights_.reserve(size);
  for (Patterns& part : parts) {
    all.append(part);
    part = {};
  }
  return all;
}

void Patterns::append(const Patterns& others) {
  const std::size_t shift = rows_.size();
  rows_.insert(rows_.end(), others.rows_.begin(), others.rows_.end());
  weights_.insert(weights_.end(), others.weights_.begin(), others.weights_.end());
  std::transform(others.starts_.begin() + 1, others.starts_.end(), std::back_inserter(starts_),
                 [shift](std::size_t start) { return start + shift; });
}

void Patterns::fit() {
  starts_.shrink_to_fit();
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
    const std::span<const RowId> rows = (*this)[pattern];
    merged.rows_.insert(merged.rows_.end(), rows.begin(), rows.end());
    merged.end_pattern(sums[pattern]);
  }
  return merged;
}

}  // namespace gristmill::rows
