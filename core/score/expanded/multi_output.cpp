// SPDX-License-Identifier: BSD-3-Clause
#include "score/expanded/multi_output.hpp"

#include <limits>

#include "base/lanes.hpp"

namespace gristmill::score::expanded {
namespace {

// Lists what is found. Both lists are written, one of them is kept: a branch would be a coin toss.
class Lister {
 public:
  explicit Lister(FoundRows& found) : found_(found) {}

  GRISTMILL_INLINE void weight(RowRef ref) {
    make_room(1);
    note(ref, 1);
  }
  GRISTMILL_INLINE void nodes(std::uint32_t /*count*/) {}
  GRISTMILL_INLINE void block_row(std::uint32_t base, const std::uint32_t* ranks, std::uint32_t count) {
    make_room(count);
    RowRef* whole = found_.whole.data() + found_.whole_count;
    for (std::uint32_t j = 0; j < count; ++j) whole[j] = base + ranks[j];
    found_.whole_count += count;
  }
  GRISTMILL_INLINE void block_pair(std::uint32_t base, const std::uint32_t* ranks, std::uint32_t count) {
    make_room(1);
    found_.whole.data()[found_.whole_count++] = base;
    block_row(base + 1, ranks, count);
  }
  GRISTMILL_INLINE void leaves(const Tables<RowRef>& tables, std::uint32_t shift, const std::uint32_t* ranks,
                               std::uint32_t count) {
    make_room(count);
    for (std::uint32_t j = 0; j < count; ++j) {
      const std::uint32_t slot = shift + ranks[j];
      note(tables.leaf.data()[slot], tables.leaf_check.data()[slot] == ranks[j] ? 1 : 0);
    }
  }

 private:
  GRISTMILL_INLINE void make_room(std::size_t more) {
    if (found_.whole.size() <= found_.whole_count + more) found_.whole.resize(2 * (found_.whole_count + more) + 64);
    if (found_.lists.size() <= found_.list_count + more) found_.lists.resize(2 * (found_.list_count + more) + 64);
  }
  GRISTMILL_INLINE void note(RowRef ref, std::uint32_t there) {
    const std::uint32_t listed = ref >> 31;
    found_.whole.data()[found_.whole_count] = ref;
    found_.lists.data()[found_.list_count] = ref;
    found_.whole_count += there & ~listed;
    found_.list_count += there & listed;
  }

  FoundRows& found_;
};

// A few vectors of outputs, over all whole rows. Rows of even and odd number are summed apart, so that additions need
// not wait for one another.
template <std::size_t Vectors>
GRISTMILL_INLINE void add_vectors(const double* dense, std::size_t stride, std::span<const RowRef> refs, double* sums) {
  std::array<Lanes4d, Vectors> even{};
  std::array<Lanes4d, Vectors> odd{};
  std::size_t at = 0;
  for (; at + 2 <= refs.size(); at += 2) {
    const double* one = dense + refs[at] * stride;
    const double* two = dense + refs[at + 1] * stride;
    for (std::size_t v = 0; v < Vectors; ++v) add(even[v], one + 4 * v);
    for (std::size_t v = 0; v < Vectors; ++v) add(odd[v], two + 4 * v);
  }
  if (at < refs.size()) {
    for (std::size_t v = 0; v < Vectors; ++v) add(even[v], dense + refs[at] * stride + 4 * v);
  }
  for (std::size_t v = 0; v < Vectors; ++v) {
    even[v] += odd[v];
    add(even[v], sums + 4 * v);
    store(even[v], sums + 4 * v);
  }
}

GRISTMILL_INLINE void add_lists(const OutputRows& rows, std::span<const RowRef> lists, double* sums) {
  for (const RowRef ref : lists) __builtin_prefetch(rows.lists.data() + rows.starts.data()[ref ^ sparse_row]);
  for (const RowRef ref : lists) {
    const RowRef list = ref ^ sparse_row;
    for (std::uint32_t at = rows.starts.data()[list]; at < rows.starts.data()[list + 1]; ++at) {
      const OutputWeight& entry = rows.lists.data()[at];
      sums[entry.output] += entry.weight;
    }
  }
}

GRISTMILL_INLINE void add_found(const OutputRows& rows, FoundRows& found, double* sums) {
  const std::span<const RowRef> whole = std::span(found.whole).first(found.whole_count);
  std::size_t o = 0;
  for (; o + 8 <= rows.stride; o += 8) add_vectors<2>(rows.dense.data() + o, rows.stride, whole, sums + o);
  if (o < rows.stride) add_vectors<1>(rows.dense.data() + o, rows.stride, whole, sums + o);
  add_lists(rows, std::span(found.lists).first(found.list_count), sums);
  found.whole_count = found.list_count = 0;
}

constexpr std::size_t most_coarse_rows = std::numeric_limits<std::int32_t>::max() / coarsest;  // that cannot overflow

// Sixteen outputs a vector, over all whole rows.
template <std::size_t Vectors>
GRISTMILL_INLINE void add_coarse_vectors(const std::int16_t* coarse, std::size_t stride, std::span<const RowRef> refs,
                                         std::int32_t* sums) {
  std::array<Lanes8i, Vectors> even{};
  std::array<Lanes8i, Vectors> odd{};
  std::size_t at = 0;
  const auto add_rows = [&](std::size_t count) __attribute__((always_inline)) {
    std::array<Lanes16h, Vectors> few{};
    for (std::size_t i = 0; i < count; ++i) {
      const std::int16_t* row = coarse + refs[at + i] * stride;
      for (std::size_t v = 0; v < Vectors; ++v) add(few[v], row + 16 * v);
    }
    for (std::size_t v = 0; v < Vectors; ++v) add_widened(even[v], odd[v], few[v]);
    at += count;
  };
  while (at + 4 <= refs.size()) add_rows(4);
  while (at < refs.size()) add_rows(1);
  for (std::size_t v = 0; v < Vectors; ++v) {
    std::array<std::int32_t, 8> evens;
    std::array<std::int32_t, 8> odds;
    store(even[v], evens.data());
    store(odd[v], odds.data());
    for (std::size_t i = 0; i < 8; ++i) {
      sums[16 * v + 2 * i] += evens[i];
      sums[16 * v + 2 * i + 1] += odds[i];
    }
  }
}

// Whole rows coarsely, lists as they are.
GRISTMILL_INLINE void add_coarsely(const OutputRows& rows, FoundRows& found, MultiScratch& scratch) {
  const std::span<const RowRef> whole = std::span(found.whole).first(found.whole_count);
  std::size_t o = 0;
  for (; o + 32 <= rows.coarse_stride; o += 32) {
    add_coarse_vectors<2>(rows.coarse.data() + o, rows.coarse_stride, whole, scratch.coarse.data() + o);
  }
  if (o < rows.coarse_stride) {
    add_coarse_vectors<1>(rows.coarse.data() + o, rows.coarse_stride, whole, scratch.coarse.data() + o);
  }
  add_lists(rows, std::span(found.lists).first(found.list_count), scratch.scores.data());
}

GRISTMILL_INLINE void find_block(const Tables<RowRef>& tables, const PreparedRow& row, FoundRows& found) {
  Lister lister(found);
  for (std::uint32_t i = 0; i < row.size; ++i) lister.weight(tables.records.data()[row.ranks.data()[i]].weight);
  conjunctions::of_block(tables, row, lister);
}

GRISTMILL_INLINE void find_common(const Tables<RowRef>& tables, const PreparedRow& row, MultiScratch& scratch) {
  Lister lister(scratch.found);
  for (std::uint32_t i = row.dense; i < row.common; ++i) {
    conjunctions::of_common(tables, row, i, scratch.nodes, lister);
  }
}

GRISTMILL_INLINE void add_rare(const Tables<RowRef>& tables, const PreparedRow& row, const machine::Coefficients& coef,
                               MultiScratch& scratch) {
  constexpr std::size_t ahead = 6;
  conjunctions::mark(row, scratch.marks);
  scratch.hits.clear();
  for (std::uint32_t i = row.common; i < row.size; ++i) {
    conjunctions::of_rare(tables, row.bases.data()[i], scratch.marks,
                          [&](std::uint64_t support, std::uint32_t overlap) __attribute__((always_inline)) {
                            if (tables.kernel_increment[overlap] == 0) return;
                            coef.announce(support);
                            scratch.hits.push_back({support, overlap});
                          });
  }
  conjunctions::unmark(row, scratch.marks);
  const std::span<const RareHit> hits = scratch.hits;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    if (i + ahead < hits.size()) coef.fetch(hits[i + ahead].support);
    coef.add_row(hits[i].support, tables.kernel_increment[hits[i].overlap], scratch.scores);
  }
}

GRISTMILL_INLINE double apart(const Tables<RowRef>& tables, const PreparedRow& row, std::uint32_t from) {
  double sum = 0;
  for (std::uint32_t i = from; i < row.size; ++i) {
    sum += static_cast<double>(tables.reach.data()[row.ranks.data()[i]].high);
  }
  return sum;
}

// The scores of a row, finished. A variant of its own, not inlined: scoring and deciding share it, and a row in flight
// ends in two places.
GRISTMILL_VARIANTS void add_up(const Tables<RowRef>& tables, const PreparedRow& row, const machine::Coefficients& coef,
                               MultiScratch& scratch) {
  std::ranges::copy(tables.base.span(), scratch.scores.begin());
  for (const bool block : {true, false}) {
    if (block) {
      find_block(tables, row, scratch.found);
    } else if (row.dense < row.common) {
      find_common(tables, row, scratch);
    } else {
      break;
    }
    add_found(tables.rows, scratch.found, scratch.scores.data());
  }
  if (row.common < row.size) add_rare(tables, row, coef, scratch);
}

// What a row finds in the block, asked for: it is added up when it has come.
GRISTMILL_INLINE void ask_for_block(const Tables<RowRef>& tables, const PreparedRow& row, FoundRows& found) {
  find_block(tables, row, found);
  const OutputRows& rows = tables.rows;
  for (const RowRef ref : std::span(found.lists).first(found.list_count)) {
    __builtin_prefetch(rows.starts.data() + (ref ^ sparse_row));
  }
  constexpr std::size_t line = 32;  // outputs
  for (const RowRef ref : std::span(found.whole).first(found.whole_count)) {
    const std::int16_t* begin = rows.coarse.data() + ref * rows.coarse_stride;
    for (std::size_t o = 0; o < rows.coarse_stride; o += line) __builtin_prefetch(begin + o);
  }
}

// The class, and how many features had to be looked at.
struct Found {
  std::int32_t value;
  std::uint32_t looked_at;
};

// Decides by coarse rows, those of the block found before: first without the common and the rare features, then without
// the rare ones, then with all. Undecided where classes are so near that these cannot tell.
class CoarseDecision {
 public:
  GRISTMILL_INLINE CoarseDecision(const Tables<RowRef>& tables, const PreparedRow& row, const DecisionPolicy& policy,
                                  double doubt, MultiScratch& scratch)
      : tables_(tables), row_(row), policy_(policy), doubt_(doubt), scratch_(scratch) {
    std::ranges::fill(scratch.coarse, 0);
    std::ranges::copy(tables.base.span(), scratch.scores.begin());
  }

  GRISTMILL_INLINE Found run(const machine::Coefficients& coef) {
    for (Part part = Part::block;;) {
      if (part == Part::common) find_common(tables_, row_, scratch_);
      if (part == Part::rare) {
        add_rare(tables_, row_, coef, scratch_);
      } else if (!add(part == Part::block ? scratch_.blocks[row_.slot] : scratch_.found)) {
        return {undecided, row_.size};
      }
      const std::uint32_t end = part == Part::block ? row_.dense : part == Part::common ? row_.common : row_.size;
      const std::int32_t value = class_before(end);
      if (value != undecided || end == row_.size) return {value, end};
      part = part == Part::block && row_.dense < row_.common ? Part::common : Part::rare;
    }
  }

 private:
  enum class Part : std::uint8_t { block, common, rare };

  // False where coarse sums might overflow.
  GRISTMILL_INLINE bool add(FoundRows& found) {
    added_ += found.whole_count;
    const bool fits = added_ <= most_coarse_rows;
    if (fits) add_coarsely(tables_.rows, found, scratch_);
    found.whole_count = found.list_count = 0;
    return fits;
  }

  // The class, if neither what is left out (by feature number `from` on) nor rounding can change it.
  GRISTMILL_INLINE std::int32_t class_before(std::uint32_t from) {
    if (from < row_.size && row_.size > tables_.reach_length) return undecided;
    const double grain = tables_.rows.grain.data()[0];
    for (std::size_t o = 0; o < tables_.outputs; ++o) {
      scratch_.rough[o] = scratch_.scores[o] + grain * scratch_.coarse[o];
    }
    const double error = grain * (1 + 1e-6) * static_cast<double>(added_);  // half of it in each of two outputs
    const double pull = apart(tables_, row_, from);                         // of two outputs, or at worst of one alone
    const Doubt doubt{doubt_ + error / 2 + pull, 2 * doubt_ + error + pull};
    return score::decide(policy_, scratch_.rough, doubt, {}, scratch_.votes);
  }

  const Tables<RowRef>& tables_;
  const PreparedRow& row_;
  const DecisionPolicy& policy_;
  double doubt_;
  MultiScratch& scratch_;
  std::size_t added_ = 0;  // coarse rows
};

// A variant of its own, as above.
GRISTMILL_VARIANTS Found decide_row(const Tables<RowRef>& tables, const MultiCall& call, const PreparedRow& row,
                                    const DecisionPolicy& policy, double doubt, MultiScratch& scratch) {
  const Found found = CoarseDecision(tables, row, policy, doubt, scratch).run(call.coef);
  if (found.value != undecided) return found;
  add_up(tables, row, call.coef, scratch);
  const std::span<const double> scores = std::span(scratch.scores).first(tables.outputs);
  return {score::decide(policy, scores, Doubt::of(doubt), {}, scratch.votes), row.size};
}

}  // namespace

GRISTMILL_VARIANTS void score_multi(const Tables<RowRef>& tables, const MultiCall& call, std::span<double> out,
                                    MultiScratch& scratch) {
  scratch.window.run(
      tables, call.rows, call.begin, call.end, [](PreparedRow&) {},
      [&](const PreparedRow& row, std::size_t number) __attribute__((always_inline)) {
        add_up(tables, row, call.coef, scratch);
        std::copy_n(scratch.scores.data(), tables.outputs, out.data() + number * tables.outputs);
      });
}

GRISTMILL_VARIANTS void decide_multi(const Tables<RowRef>& tables, const MultiCall& call, const DecisionPolicy& policy,
                                     std::span<const double> doubt, std::span<std::int32_t> out, MultiScratch& scratch,
                                     EarlyStopStats& early_stops) {
  scratch.window.run(
      tables, call.rows, call.begin, call.end,
      [&](const PreparedRow& row)
          __attribute__((always_inline)) { ask_for_block(tables, row, scratch.blocks[row.slot]); },
      [&](const PreparedRow& row, std::size_t number) __attribute__((always_inline)) {
        const Found found = decide_row(tables, call, row, policy, doubt[row.length], scratch);
        out[number] = found.value;
        early_stops.add(row.size, found.looked_at);
      });
}

}  // namespace gristmill::score::expanded
