// SPDX-License-Identifier: BSD-3-Clause
// What has been learned: an append-only log of steps. Engines that remember parts of margins rely on it that a change
// of an old support row, too, is a new entry (docs/formulas.md B2).
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/checksum.hpp"
#include "base/large_pages.hpp"
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
  [[nodiscard]] std::size_t size() const noexcept { return offsets_.size() - 1; }
  [[nodiscard]] std::span<const rows::Rank> operator[](std::size_t row) const {
    return std::span(ranks_).subspan(offsets_[row], offsets_[row + 1] - offsets_[row]);
  }
  void reserve(std::size_t rows, std::size_t ranks) {
    offsets_.reserve(rows + 1);
    ranks_.reserve(ranks);
  }
  RowId append(std::span<const rows::Rank> ranks) {
    ranks_.insert(ranks_.end(), ranks.begin(), ranks.end());
    offsets_.push_back(ranks_.size());
    return static_cast<RowId>(size() - 1);
  }
  [[nodiscard]] std::uint64_t checksum() const {
    const auto bytes = [](const auto& list) {
      return std::span(reinterpret_cast<const std::uint8_t*>(list.data()), list.size() * sizeof(list[0]));
    };
    return gristmill::checksum(bytes(offsets_)) ^ gristmill::checksum(bytes(ranks_));
  }
  [[nodiscard]] std::size_t nbytes() const noexcept {
    return offsets_.size() * sizeof(std::size_t) + ranks_.size() * sizeof(rows::Rank);
  }

 private:
  std::vector<std::size_t> offsets_{0};
  LargeVector<rows::Rank> ranks_;
};

template <class Number>
struct SupportLog {
  RankRows rows;
  std::vector<Step<Number>> steps;
};

}  // namespace gristmill::solve::online
