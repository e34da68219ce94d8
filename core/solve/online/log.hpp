// SPDX-License-Identifier: BSD-3-Clause
// What has been learned: an append-only log of steps. Engines that remember parts of margins rely on it that a change
// of an old support row, too, is a new entry (docs/formulas.md B2).
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/checksum.hpp"
#include "base/large_pages.hpp"
#include "base/lists.hpp"
#include "rows/feature_map.hpp"

namespace gristmill::solve::online {

// The coefficient of a row grows by `size` for output `up` and falls by it for output `down`; one of them may be
// nobody.
template <class Number>
struct Step {
  static constexpr std::int32_t nobody = -1;

  RowId row;
  std::int32_t up;
  std::int32_t down;
  Number size;
  std::uint64_t time;  // examples seen before
};

// Rows of ascending ranks, one after the other.
class RankRows {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }
  [[nodiscard]] std::span<const rows::Rank> operator[](std::size_t row) const { return rows_[row]; }
  void reserve(std::size_t rows, std::size_t ranks) { rows_.reserve(rows, ranks); }
  RowId append(std::span<const rows::Rank> ranks) {
    rows_.add(ranks);
    return static_cast<RowId>(size() - 1);
  }
  [[nodiscard]] std::uint64_t checksum() const {
    const auto bytes = [](const auto& list) {
      return std::span(reinterpret_cast<const std::uint8_t*>(list.data()), list.size() * sizeof(list[0]));
    };
    return gristmill::checksum(bytes(rows_.starts())) ^ gristmill::checksum(bytes(rows_.items()));
  }
  [[nodiscard]] std::size_t nbytes() const noexcept { return rows_.nbytes(); }

 private:
  Lists<rows::Rank, std::size_t, LargeVector<rows::Rank>> rows_;
};

template <class Number>
struct SupportLog {
  RankRows rows;
  std::vector<Step<Number>> steps;
};

}  // namespace gristmill::solve::online
