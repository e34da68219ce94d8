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
  template <class Tables>
  GRISTMILL_INLINE void leaves(const Tables& tables, std::uint32_t shift, const std::uint32_t* ranks,
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
GRISTMILL_INLINE void add_coarsely(const OutputRows& rows, FoundRows& found, ManyScratch& scratch) {
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

template <class Tables>
GRISTMILL_INLINE void find_block(const Tables& tables, const PreparedRow& row, FoundRows& found) {
  Lister lister(found);
  for (std::uint32_t i = 0; i < row.size; ++i) lister.weight(tables.records.data()[row.ranks.data()[i]].weight);
  conjunctions::of_block(tables, row, lister);
}

template <class Tables>
GRISTMILL_INLINE void find_common(const Tables& tables, const PreparedRow& row, ManyScratch& scratch) {
  Lister lister(scratch.found);
  for (std::uint32_t i = row.dense; i < row.common; ++i) {
    conjunctions::of_common(tables, row, i, scratch.nodes, lister);
  }
}

template <class Tables>
GRISTMILL_INLINE void add_block(const Tables& tables, const PreparedRow& row, ManyScratch& scratch) {
  std::ranges::copy(tables.base.span(), scratch.scores.begin());
  find_block(tables, row, scratch.found);
  add_found(tables.rows, scratch.found, scratch.scores.data());
}

template <class Tables>
GRISTMILL_INLINE void add_common(const Tables& tables, const PreparedRow& row, ManyScratch& scratch) {
  find_common(tables, row, scratch);
  add_found(tables.rows, scratch.found, scratch.scores.data());
}

template <class Tables>
GRISTMILL_INLINE void add_rare(const Tables& tables, const PreparedRow& row, const machine::Coefficients& coef,
                               ManyScratch& scratch) {
  constexpr std::size_t ahead = 6;
  conjunctions::mark(row, scratch.marks);
  scratch.hits.clear();
  for (std::uint32_t i = row.common; i < row.size; ++i) {
    conjunctions::of_rare(tables, row.bases.data()[i], scratch.marks,
                          [&](std::uint64_t support, std::uint32_t overlap) __attribute__((always_inline)) {
                            if (overlap == 0) return;
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

template <class Tables>
GRISTMILL_INLINE double apart(const Tables& tables, const PreparedRow& row, std::uint32_t from) {
  double sum = 0;
  for (std::uint32_t i = from; i < row.size; ++i) {
    sum += static_cast<double>(tables.reach.data()[row.ranks.data()[i]].high);
  }
  return sum;
}

// The class, and how many features had to be looked at. Each score may be off by half of `doubt`, so two of them may
// have moved apart by all of it.
struct Found {
  std::int32_t value;
  std::uint32_t looked_at;
};

// What is left to be said of a row, after some of it has been added up: the class, if neither what is left out (by
// `from` on) nor rounding can change it.
template <class Tables>
GRISTMILL_INLINE std::int32_t class_so_far(const Tables& tables, const PreparedRow& row, std::uint32_t from,
                                           decision::Rule rule, std::span<const double> scores, double doubt,
                                           ManyScratch& scratch) {
  if (from < row.size && row.size > tables.reach_length) return decision::undecided;
  return decision::decided_class(rule, scores, doubt + apart(tables, row, from), scratch.votes);
}

// What a row finds in the block, asked for: it is added up when it has come.
template <class Tables>
GRISTMILL_INLINE void ask_for_block(const Tables& tables, const PreparedRow& row, FoundRows& found) {
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

// By coarse rows, those of the block found before. Undecided where classes are so near that these cannot tell.
template <class Tables>
GRISTMILL_INLINE Found decide_coarsely(const Tables& tables, const ManyCall& call, const PreparedRow& row,
                                       decision::Rule rule, double doubt, ManyScratch& scratch) {
  const double grain = tables.rows.grain.data()[0] * (1 + 1e-6);
  std::size_t added = 0;
  const auto class_at = [&](std::uint32_t from) __attribute__((always_inline)) {
    for (std::size_t o = 0; o < tables.outputs; ++o) {
      scratch.rough[o] = scratch.scores[o] + tables.rows.grain.data()[0] * scratch.coarse[o];
    }
    const double error = grain * static_cast<double>(added);  // half of it in each of two outputs
    return class_so_far(tables, row, from, rule, scratch.rough, doubt + error, scratch);
  };
  const auto add_found_rows = [&](FoundRows& found) __attribute__((always_inline)) {
    added += found.whole_count;
    const bool fits = added <= most_coarse_rows;
    if (fits) add_coarsely(tables.rows, found, scratch);
    found.whole_count = found.list_count = 0;
    return fits;
  };
  std::ranges::fill(scratch.coarse, 0);
  std::ranges::copy(tables.base.span(), scratch.scores.begin());
  if (!add_found_rows(scratch.blocks[row.slot])) return {decision::undecided, row.size};
  std::int32_t value = class_at(row.dense);
  if (value != decision::undecided || row.dense == row.size) return {value, row.dense};
  if (row.dense < row.common) {
    find_common(tables, row, scratch);
    if (!add_found_rows(scratch.found)) return {decision::undecided, row.size};
    value = class_at(row.common);
    if (value != decision::undecided || row.common == row.size) return {value, row.common};
  }
  add_rare(tables, row, call.coef, scratch);
  return {class_at(row.size), row.size};
}

template <class Tables>
GRISTMILL_INLINE Found decide(const Tables& tables, const ManyCall& call, const PreparedRow& row, decision::Rule rule,
                              double doubt, ManyScratch& scratch) {
  const Found found = decide_coarsely(tables, call, row, rule, doubt, scratch);
  if (found.value != decision::undecided) return found;
  add_block(tables, row, scratch);
  if (row.dense < row.common) add_common(tables, row, scratch);
  if (row.common < row.size) add_rare(tables, row, call.coef, scratch);
  return {class_so_far(tables, row, row.size, rule, std::span(scratch.scores).first(tables.outputs), doubt, scratch),
          row.size};
}

template <class Tables>
GRISTMILL_INLINE void score_rows(const Tables& tables, const ManyCall& call, std::span<double> out,
                                 ManyScratch& scratch) {
  scratch.window.run(
      tables, call.rows, call.begin, call.end, [](PreparedRow&) {},
      [&](const PreparedRow& row, std::size_t number) __attribute__((always_inline)) {
        add_block(tables, row, scratch);
        if (row.dense < row.common) add_common(tables, row, scratch);
        if (row.common < row.size) add_rare(tables, row, call.coef, scratch);
        std::copy_n(scratch.scores.data(), tables.outputs, out.data() + number * tables.outputs);
      });
}

template <class Tables>
GRISTMILL_INLINE void decide_rows(const Tables& tables, const ManyCall& call, decision::Rule rule,
                                  std::span<const double> doubt, std::span<std::int32_t> out, ManyScratch& scratch,
                                  EarlyStopStats& early_stops) {
  scratch.window.run(
      tables, call.rows, call.begin, call.end,
      [&](const PreparedRow& row)
          __attribute__((always_inline)) { ask_for_block(tables, row, scratch.blocks[row.slot]); },
      [&](const PreparedRow& row, std::size_t number) __attribute__((always_inline)) {
        const Found found = decide(tables, call, row, rule, 2 * doubt[row.length], scratch);
        out[number] = found.value;
        early_stops.add(row.size, found.looked_at);
      });
}

}  // namespace

// One function per width of columns: variants cannot be templates.
GRISTMILL_VARIANTS void score_many(const Tables<RowRef, std::uint16_t>& tables, const ManyCall& call,
                                   std::span<double> out, ManyScratch& scratch) {
  score_rows(tables, call, out, scratch);
}
GRISTMILL_VARIANTS void score_many(const Tables<RowRef, std::uint32_t>& tables, const ManyCall& call,
                                   std::span<double> out, ManyScratch& scratch) {
  score_rows(tables, call, out, scratch);
}
GRISTMILL_VARIANTS void decide_many(const Tables<RowRef, std::uint16_t>& tables, const ManyCall& call,
                                    decision::Rule rule, std::span<const double> doubt, std::span<std::int32_t> out,
                                    ManyScratch& scratch, EarlyStopStats& early_stops) {
  decide_rows(tables, call, rule, doubt, out, scratch, early_stops);
}
GRISTMILL_VARIANTS void decide_many(const Tables<RowRef, std::uint32_t>& tables, const ManyCall& call,
                                    decision::Rule rule, std::span<const double> doubt, std::span<std::int32_t> out,
                                    ManyScratch& scratch, EarlyStopStats& early_stops) {
  decide_rows(tables, call, rule, doubt, out, scratch, early_stops);
}

}  // namespace gristmill::score::expanded
