// SPDX-License-Identifier: BSD-3-Clause
// Rows made for one question: how many features does a row share with a few given ones? Features are coloured so that
// no row has two of one colour; a row is then one cache line with a code of 16 bits for each of 32 colours, and
// comparing two rows is comparing two lines.
//
// Features that find no colour (a row has features of all others already, or a colour has no code left) are left to the
// caller. Colours are given by rank, so those features are rare ones.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/large_pages.hpp"
#include "base/lists.hpp"
#include "solve/online/log.hpp"

namespace gristmill::solve::online {

// For each feature the rows that have it, ascending.
using Postings = Lists<RowId, std::size_t, LargeVector<RowId>>;  // by rank

// features: above every rank of the rows.
[[nodiscard]] inline Postings postings_of(const RankRows& rows, std::size_t features) {
  return Postings::grouped(features, [&](auto visit) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (const rows::Rank rank : rows[row]) visit(rank, static_cast<RowId>(row));
    }
  });
}

class ColouredRecords {
 public:
  static constexpr std::size_t colours = 32;

  struct alignas(64) Record {
    std::array<std::uint16_t, colours> codes;
  };

  // A set of features to compare rows with.
  class Probe {
   public:
    Probe() { record_.codes.fill(nothing); }

   private:
    friend class ColouredRecords;
    static constexpr std::uint16_t nothing = 0xFFFF;  // rows have 0 there

    Record record_;
  };

  ColouredRecords() = default;
  // postings: of the features of these rows.
  ColouredRecords(const Postings& postings, const RankRows& rows);

  [[nodiscard]] bool has_colour(rows::Rank rank) const { return codes_[rank] != 0; }
  // False if it has no colour, or one that is taken: features of other rows than these may share one.
  [[nodiscard]] bool insert(rows::Rank rank, Probe& probe) const {
    std::uint16_t& code = probe.record_.codes[colours_[rank]];
    if (!has_colour(rank) || code != Probe::nothing) return false;
    code = codes_[rank];
    return true;
  }

  // How many features of the probe each of these rows has.
  void overlaps(std::span<const RowId> rows, const Probe& probe, std::uint32_t* out) const;

  [[nodiscard]] std::size_t nbytes() const noexcept { return records_.size() * sizeof(Record) + codes_.size() * 3; }

 private:
  std::vector<std::uint8_t> colours_;  // by rank
  std::vector<std::uint16_t> codes_;   // by rank; 0: no colour
  LargeVector<Record> records_;
};

}  // namespace gristmill::solve::online
