// SPDX-License-Identifier: BSD-3-Clause
#include "solve/online/coloured_records.hpp"

#include <bit>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/variants.hpp"

namespace gristmill::solve::online {
namespace {

using Record = ColouredRecords::Record;

constexpr std::size_t ahead = 12;  // rows asked for in advance

#if defined(__SSE2__)
// A bit for each colour in which the codes agree.
GRISTMILL_INLINE std::uint32_t agreement(const Record& a, const Record& b) {
  const auto* left = reinterpret_cast<const __m128i*>(a.codes.data());
  const auto* right = reinterpret_cast<const __m128i*>(b.codes.data());
  const auto equal = [&](int part) __attribute__((always_inline)) {
    return _mm_cmpeq_epi16(_mm_load_si128(left + part), _mm_load_si128(right + part));
  };
  const auto low = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(equal(0), equal(1))));
  const auto high = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(equal(2), equal(3))));
  return low | high << 16;
}
#else
GRISTMILL_INLINE std::uint32_t agreement(const Record& a, const Record& b) {
  std::uint32_t bits = 0;
  for (std::size_t at = 0; at < ColouredRecords::colours; ++at) bits |= std::uint32_t{a.codes[at] == b.codes[at]} << at;
  return bits;
}
#endif

GRISTMILL_VARIANTS void count_agreements(const Record* records, std::span<const RowId> rows, const Record& probe,
                                         std::uint32_t* out) {
  for (std::size_t at = 0; at < rows.size(); ++at) {
    if (at + ahead < rows.size()) __builtin_prefetch(records + rows[at + ahead]);
    out[at] = static_cast<std::uint32_t>(std::popcount(agreement(records[rows[at]], probe)));
  }
}

}  // namespace

// Greedy, the most frequent features first: each takes the first colour that none of its rows has.
ColouredRecords::ColouredRecords(const Postings& postings, const RankRows& rows)
    : colours_(postings.size(), 0), codes_(postings.size(), 0), records_(rows.size(), Record{}) {
  std::vector<std::uint32_t> taken(rows.size(), 0);
  std::array<std::uint16_t, colours> last{};  // code given out, by colour
  std::uint32_t full = 0;                     // colours without a code left
  for (std::size_t rank = 0; rank < postings.size(); ++rank) {
    const std::span<const RowId> here = postings[rank];
    std::uint32_t used = full;
    for (const RowId row : here) used |= taken[row];
    if (used == ~std::uint32_t{0}) continue;
    const auto colour = static_cast<std::size_t>(std::countr_one(used));
    colours_[rank] = static_cast<std::uint8_t>(colour);
    codes_[rank] = ++last[colour];
    if (last[colour] + 1 == Probe::nothing) full |= std::uint32_t{1} << colour;
    for (const RowId row : here) taken[row] |= std::uint32_t{1} << colour;
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {  // row by row: records are far larger than codes
    for (const rows::Rank rank : rows[row]) {
      if (has_colour(rank)) records_[row].codes[colours_[rank]] = codes_[rank];
    }
  }
}

void ColouredRecords::overlaps(std::span<const RowId> rows, const Probe& probe, std::uint32_t* out) const {
  count_agreements(records_.data(), rows, probe.record_, out);
}

}  // namespace gristmill::solve::online
