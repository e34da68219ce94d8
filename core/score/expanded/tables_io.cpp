// SPDX-License-Identifier: BSD-3-Clause
#include "score/expanded/tables_io.hpp"

#include <algorithm>
#include <vector>

namespace gristmill::score::expanded {
namespace {

template <class Tables>
bool lines_are_sound(const Tables& tables, std::size_t start, std::size_t support_rows) {
  constexpr std::size_t head = RarePostings::line_head;
  const std::span<const std::uint64_t> words = tables.rare.words().span();
  if (start >= words.size()) return false;
  const std::size_t lines = words[start] & 0xFFFFFFFF;
  const std::size_t stride = words[start] >> 32;
  if (stride < head || lines > (words.size() - start - 1) / stride) return false;
  const std::uint64_t mask = (std::uint64_t{1} << tables.rare.bits()) - 1;
  for (std::size_t line = start + 1; line < start + 1 + lines * stride; line += stride) {
    std::size_t most = 0;  // the overlap this line can give
    if (!is_single<Tables> && words[line] >= support_rows) return false;
    for (std::size_t at = line + head; at < line + stride; ++at) {
      for (unsigned shift = 0; shift < 64; shift += tables.rare.bits()) {
        const std::uint64_t rank = words[at] >> shift & mask;
        if (rank > tables.features + 1) return false;
        most += rank != tables.features ? 1 : 0;  // nobody
      }
    }
    for (std::size_t word = 1; word < head; ++word) most += static_cast<std::size_t>(std::popcount(words[line + word]));
    if (most >= tables.kernel_increment.size()) return false;
  }
  return true;
}

template <class Tables>
bool record_is_sound(const Tables& tables, rows::Rank rank, std::size_t rows) {
  const FeatureRecord<typename Tables::Weight>& record = tables.records[rank];
  if constexpr (!is_single<Tables>) {
    if (!tables.rows.holds(record.weight)) return false;
  }
  if (rank >= tables.features) return true;
  if (rank >= tables.common) return lines_are_sound(tables, record.base, rows);
  if (tables.degree < 2) return true;
  if (rank < tables.dense) return record.base == (tables.degree == 2 ? pair_row(rank) : triple_plane(rank));
  return record.base + tables.common <= (tables.degree == 2 ? tables.leaf_check : tables.inner_check).size();
}

// Sorting a row by rank relies on it.
template <class Tables>
bool ranks_are_sound(const Tables& tables) {
  std::vector<bool> taken(tables.features, false);
  for (const rows::Rank rank : tables.ranks.values().span()) {
    if (rank == tables.features + 1) continue;
    if (rank >= tables.features || taken[rank]) return false;
    taken[rank] = true;
  }
  return true;
}

template <class Tables>
bool records_are_sound(const Tables& tables, std::size_t rows) {
  for (rows::Rank rank = 0; rank < tables.features + 2; ++rank) {
    if (!record_is_sound(tables, rank, rows)) return false;
  }
  return true;
}

// Wherever a node that can be reached points, all columns must be inside. Which comb that is depends on how many
// features the node has, so nodes are followed from those of two features on: a slot belongs to the row that starts as
// far before it as its column says.
template <class Tables>
bool nodes_are_sound(const Tables& tables) {
  const std::span<const Column> check = tables.inner_check.span();
  std::vector<std::uint16_t> sizes(check.size(), 0);  // by row: a bit per number of features its nodes have
  for (std::size_t rank = tables.dense; rank < tables.common; ++rank) sizes[tables.records[rank].base] |= 1U << 2;
  for (std::uint64_t size = 2; size < tables.degree; ++size) {
    const std::size_t limit = size + 1 == tables.degree ? tables.leaf_check.size() : check.size();
    for (std::size_t slot = 0; slot < check.size(); ++slot) {
      if (check[slot] >= tables.common || check[slot] > slot) continue;  // nobody's
      if ((sizes[slot - check[slot]] >> size & 1) == 0) continue;
      const std::size_t shift = tables.inner[slot].shift;
      if (shift + tables.common > limit) return false;
      if (size + 1 < tables.degree) sizes[shift] |= static_cast<std::uint16_t>(1U << (size + 1));
    }
  }
  return true;
}

}  // namespace

template <class Tables>
bool is_sound(const Tables& tables, std::size_t support_rows) {
  const std::size_t block = block_size(static_cast<unsigned>(tables.degree), tables.dense);
  const bool sizes = tables.outputs == tables.base.size() && tables.dense <= tables.common &&
                     tables.strip <= tables.dense && (tables.strip == 0 || (tables.degree == 2 && is_single<Tables>)) &&
                     tables.common <= tables.features && tables.features < (std::size_t{1} << 31) - 2 &&
                     (tables.degree < 2 || tables.common <= most_common) && tables.ranks.is_sound() &&
                     tables.records.size() == tables.features + 2 && tables.inner.size() == tables.inner_check.size() &&
                     tables.leaf.size() == tables.leaf_check.size() && tables.reach.size() == tables.features &&
                     (tables.dropped.empty() || tables.dropped.size() == tables.features) &&
                     !tables.kernel_increment.empty();
  if (!sizes) return false;
  if constexpr (is_single<Tables>) {
    const std::size_t strip = (tables.common - tables.dense) * tables.strip;
    if (tables.outputs != 1 || tables.block.size() < block + strip) return false;
  } else {
    const auto held = [&](RowRef ref) { return tables.rows.holds(ref); };
    if (!tables.rows.is_sound(tables.outputs) || tables.rows.dense.size() < block * tables.rows.stride) return false;
    if (!std::ranges::all_of(tables.leaf.span(), held)) return false;
    if (!std::ranges::all_of(tables.inner.span(), held, &InnerSlot<RowRef>::weight)) return false;
  }
  return ranks_are_sound(tables) && records_are_sound(tables, support_rows) &&
         (tables.degree <= 2 || nodes_are_sound(tables));
}

template bool is_sound(const Tables<double>&, std::size_t);
template bool is_sound(const Tables<RowRef>&, std::size_t);

}  // namespace gristmill::score::expanded
