// SPDX-License-Identifier: BSD-3-Clause
// Finds the conjunctions of a prepared row in the tables. A sink takes what is found:
//
//   sink.block_row(base, ranks, count)        entries base + ranks[0..count) of the block, always there
//   sink.leaves(tables, shift, ranks, count)  slots shift + ranks[0..count) of the leaf comb, where there
//   sink.weight(weight)                       of a conjunction that may have others below it
#pragma once
#include <vector>

#include "score/expanded/row_window.hpp"

namespace gristmill {

// Conjunctions of three features and more, while they are followed.
struct FoundNodes {
  std::vector<FoundNode> here;
  std::vector<FoundNode> next;
  std::vector<std::uint32_t> plane;  // of the block of triples
};

namespace conjunctions {

template <class Sink>
GRISTMILL_INLINE void pairs_of_block(const std::uint32_t* ranks, const std::uint32_t* bases, std::uint32_t count,
                                     Sink& sink) {
  for (std::uint32_t i = 1; i < count; ++i) sink.block_row(bases[i], ranks, i);
}

// Where in its plane of the tetrahedron a rank has its conjunctions with the ranks below: the same for all planes, so
// it is found once. Feature number i takes the first i (i + 1) / 2.
GRISTMILL_INLINE void list_plane(const std::uint32_t* ranks, std::uint32_t count, std::vector<std::uint32_t>& plane) {
  if (plane.size() < count * (count + 1) / 2) plane.resize(count * (count + 1));
  std::uint32_t* to = plane.data();
  for (std::uint32_t j = 0; j + 1 < count; ++j) {
    const auto row = static_cast<std::uint32_t>(triple_row(ranks[j]));
    *to++ = row;
    for (std::uint32_t l = 0; l < j; ++l) *to++ = row + 1 + ranks[l];
  }
}

template <class Sink>
GRISTMILL_INLINE void triples_of_block(const std::uint32_t* ranks, const std::uint32_t* bases, std::uint32_t count,
                                       std::vector<std::uint32_t>& plane, Sink& sink) {
  list_plane(ranks, count, plane);
  for (std::uint32_t i = 1; i < count; ++i) sink.block_row(bases[i], plane.data(), i * (i + 1) / 2);
}

template <class Tables, class Sink>
GRISTMILL_INLINE void of_block(const Tables& tables, const PreparedRow<typename Tables::Weight>& row,
                               std::vector<std::uint32_t>& plane, Sink& sink) {
  if (tables.degree == 2) pairs_of_block(row.ranks.data(), row.bases.data(), row.dense, sink);
  if (tables.degree == 3) triples_of_block(row.ranks.data(), row.bases.data(), row.dense, plane, sink);
}

// The conjunctions whose rarest feature is the common feature number i of the row.
template <class Tables, class Sink>
GRISTMILL_INLINE void of_common(const Tables& tables, const PreparedRow<typename Tables::Weight>& row, std::uint32_t i,
                                FoundNodes& nodes, Sink& sink) {
  const std::uint32_t* ranks = row.ranks.data();
  if (tables.degree == 2) return sink.leaves(tables, row.bases.data()[i], ranks, i);
  if (tables.degree < 2) return;
  const std::uint32_t first = i == row.dense ? 0 : row.node_ends.data()[i - 1];
  std::span<const FoundNode> here(row.nodes.data() + first, row.node_ends.data()[i] - first);
  for (std::uint64_t size = 2; size + 1 < tables.degree; ++size) {
    std::size_t found = 0;
    for (const FoundNode node : here) {
      const auto& slot = tables.inner.data()[node.slot];
      sink.weight(slot.weight);
      found = window::find_nodes(tables, slot.shift, ranks, node.at, nodes.next, found);
    }
    std::swap(nodes.here, nodes.next);
    here = std::span<const FoundNode>(nodes.here).first(found);
  }
  for (const FoundNode node : here) {
    const auto& slot = tables.inner.data()[node.slot];
    sink.weight(slot.weight);
    sink.leaves(tables, slot.shift, ranks, node.at);
  }
}

GRISTMILL_INLINE void mark(const std::uint32_t* ranks, std::uint32_t size, Marks& marks) {
  marks.bits.fill(0);
  std::uint32_t i = 0;
  for (; i < size && ranks[i] < bitmap_ranks; ++i) marks.bits[ranks[i] / 64] |= std::uint64_t{1} << (ranks[i] % 64);
  for (; i < size; ++i) marks.bytes.data()[ranks[i]] = 1;
}

GRISTMILL_INLINE void unmark(const std::uint32_t* ranks, std::uint32_t size, Marks& marks) {
  for (; size > 0 && ranks[size - 1] >= bitmap_ranks; --size) marks.bytes.data()[ranks[size - 1]] = 0;
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
}  // namespace gristmill
