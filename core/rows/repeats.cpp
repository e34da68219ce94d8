// SPDX-License-Identifier: BSD-3-Clause
#include "rows/repeats.hpp"

#include <bit>

#include "base/hash.hpp"

namespace gristmill::rows {
namespace {

constexpr std::size_t sample_size = 1024;
constexpr std::size_t smallest_batch = 32;

}  // namespace

Repeats::Repeats(Rows rows) : number_(rows.size()) {
  constexpr std::size_t empty = ~std::size_t{0};
  std::vector<std::size_t> slots(std::bit_ceil(2 * rows.size() + 1), empty);  // numbers of distinct rows
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const Row x = rows[row];
    std::size_t at = hash_of(x) & (slots.size() - 1);
    while (slots[at] != empty && !std::ranges::equal(distinct()[slots[at]], x)) at = (at + 1) & (slots.size() - 1);
    if (slots[at] == empty) {
      slots[at] = offsets_.size() - 1;
      ids_.insert(ids_.end(), x.begin(), x.end());
      offsets_.push_back(static_cast<Offset>(ids_.size()));
    }
    number_[row] = slots[at];
  }
}

std::optional<Repeats> Repeats::find(Rows rows, double worth) {
  if (rows.size() < smallest_batch) return std::nullopt;
  const std::size_t looked_at = std::min(rows.size(), sample_size);
  const Repeats sample(Rows{rows.offsets.first(looked_at + 1), rows.ids});
  const std::size_t repeats = looked_at - sample.distinct().size();
  if (static_cast<double>(repeats) < worth * static_cast<double>(looked_at)) return std::nullopt;
  return looked_at == rows.size() ? sample : Repeats(rows);
}

}  // namespace gristmill::rows
