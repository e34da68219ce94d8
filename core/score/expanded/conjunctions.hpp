// SPDX-License-Identifier: BSD-3-Clause
// Finds the conjunctions of a prepared row in the tables. A sink takes what is found:
//
//   sink.block_row(base, ranks, count)        entries base + ranks[0..count) of the block, always there
//   sink.block_pair(base, ranks, count)       entry base (a pair) and the triples base + 1 + ranks[0..count)
//   sink.nodes(count)                         so many slots of the inner comb are looked at
//   sink.leaves(tables, shift, ranks, count)  slots shift + ranks[0..count) of the leaf comb, where there
//   sink.weight(weight)                       of a conjunction that may have others below it
#pragma once
#include <vector>

#include "score/expanded/row_window.hpp"

namespace gristmill::score::expanded {

// A conjunction found in the inner comb: its slot, and where in the row its most frequent feature stands.
struct FoundNode {
  std::uint32_t slot;
  std::uint32_t at;
};

struct FoundNodes {
  std::vector<FoundNode> here;
  std::vector<FoundNode> next;
};

namespace conjunctions {

template <class Sink>
GRISTMILL_INLINE void pairs_of_block(const std::uint32_t* ranks, const std::uint32_t* bases, std::uint32_t count,
                                     Sink& sink) {
  for (std::uint32_t i = 1; i < count; ++i) sink.block_row(bases[i], ranks, i);
}

template <class Sink>
GRISTMILL_INLINE void triples_of_block(const std::uint32_t* ranks, const std::uint32_t* bases, std::uint32_t count,
                                       Sink& sink) {
  for (std::uint32_t i = 1; i < count; ++i) {
    for (std::uint32_t j = 0; j < i; ++j) {
      sink.block_pair(static_cast<std::uint32_t>(bases[i] + triple_row(ranks[j])), ranks, j);
    }
  }
}

template <class Tables, class Sink>
GRISTMILL_INLINE void of_block(const Tables& tables, const PreparedRow& row, Sink& sink) {
  if (tables.degree == 2) pairs_of_block(row.ranks.data(), row.bases.data(), row.dense, sink);
  if (tables.degree == 3) triples_of_block(row.ranks.data(), row.bases.data(), row.dense, sink);
}

// Appends the conjunctions of one feature more: shift belongs to their row, ranks[0..count) may be that feature.
template <class Tables>
GRISTMILL_INLINE std::size_t find_nodes(const Tables& tables, std::uint32_t shift, const std::uint32_t* ranks,
                                        std::uint32_t count, std::vector<FoundNode>& nodes, std::size_t found) {
  if (nodes.size() < found + count) nodes.resize(2 * (found + count));
  FoundNode* to = nodes.data();
  for (std::uint32_t j = 0; j < count; ++j) {
    const std::uint32_t slot = shift + ranks[j];
    to[found] = {slot, j};
    __builtin_prefetch(tables.inner.data() + slot);
    found += tables.inner_check.data()[slot] == ranks[j] ? 1 : 0;
  }
  return found;
}

// The conjunctions whose rarest feature is the common feature number i of the row.
template <class Tables, class Sink>
GRISTMILL_INLINE void of_common(const Tables& tables, const PreparedRow& row, std::uint32_t i, FoundNodes& nodes,
                                Sink& sink) {
  const std::uint32_t* ranks = row.ranks.data();
  if (tables.degree == 2) {
    sink.block_row(static_cast<std::uint32_t>(strip_row(tables, ranks[i])), ranks, row.strip);
    return sink.leaves(tables, row.bases.data()[i], ranks + row.strip, i - row.strip);
  }
  if (tables.degree < 2) return;
  sink.nodes(i);
  std::size_t found = find_nodes(tables, row.bases.data()[i], ranks, i, nodes.here, 0);
  for (std::uint64_t size = 2; size + 1 < tables.degree; ++size) {
    std::size_t deeper = 0;
    for (const FoundNode node : std::span<const FoundNode>(nodes.here).first(found)) {
      const auto& slot = tables.inner.data()[node.slot];
      sink.weight(slot.weight);
      sink.nodes(node.at);
      deeper = find_nodes(tables, slot.shift, ranks, node.at, nodes.next, deeper);
    }
    std::swap(nodes.here, nodes.next);
    found = deeper;
  }
  for (const FoundNode node : std::span<const FoundNode>(nodes.here).first(found)) {
    const auto& slot = tables.inner.data()[node.slot];
    sink.weight(slot.weight);
    sink.leaves(tables, slot.shift, ranks, node.at);
  }
}

GRISTMILL_INLINE void mark(const PreparedRow& row, Marks& marks) {
  const rows::Rank* ranks = row.ranks.data();
  marks.bits.fill(0);
  std::uint32_t i = 0;
  for (; i < row.size && ranks[i] < bitmap_ranks; ++i) marks.bits[ranks[i] / 64] |= std::uint64_t{1} << (ranks[i] % 64);
  for (; i < row.size; ++i) marks.bytes.data()[ranks[i]] = 1;
}

GRISTMILL_INLINE void unmark(const PreparedRow& row, Marks& marks) {
  const rows::Rank* ranks = row.ranks.data();
  for (std::uint32_t i = row.size; i > 0 && ranks[i - 1] >= bitmap_ranks; --i) marks.bytes.data()[ranks[i - 1]] = 0;
}

// take(payload, overlap) for each support row of a rare feature.
template <unsigned Bits, class Take>
GRISTMILL_INLINE void lines_of(const std::uint64_t* head, const Marks& marks, Take take) {
  const auto lines = static_cast<std::uint32_t>(*head);
  const auto stride = static_cast<std::uint32_t>(*head >> 32);
  const std::uint64_t* line = head + 1;
  for (std::uint32_t n = 0; n < lines; ++n, line += stride) take(line[0], overlap_with<Bits>(line, stride, marks));
}

template <class Tables, class Take>
GRISTMILL_INLINE void of_rare(const Tables& tables, std::uint32_t start, const Marks& marks, Take take) {
  if (tables.rare.bits() == 16) {
    lines_of<16>(tables.rare.at(start), marks, take);
  } else {
    lines_of<32>(tables.rare.at(start), marks, take);
  }
}

}  // namespace conjunctions
}  // namespace gristmill::score::expanded
