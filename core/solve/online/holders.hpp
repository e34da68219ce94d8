// SPDX-License-Identifier: BSD-3-Clause
// For each feature the rows that have it, ascending.
#pragma once
#include "solve/online/log.hpp"

namespace gristmill {

class Holders {
 public:
  Holders() = default;
  // features: above every rank of the rows.
  Holders(const RankRows& rows, std::size_t features) : starts_(features + 1, 0) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (const Rank rank : rows[row]) ++starts_[rank + std::size_t{1}];
    }
    for (std::size_t rank = 0; rank < features; ++rank) starts_[rank + 1] += starts_[rank];
    rows_.resize(starts_.back());
    std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (const Rank rank : rows[row]) rows_[next[rank]++] = static_cast<RowId>(row);
    }
  }

  [[nodiscard]] std::size_t features() const noexcept { return starts_.size() - 1; }
  [[nodiscard]] std::span<const RowId> operator[](std::size_t rank) const {
    return std::span(rows_).subspan(starts_[rank], starts_[rank + 1] - starts_[rank]);
  }
  [[nodiscard]] std::size_t nbytes() const noexcept {
    return starts_.size() * sizeof(std::size_t) + rows_.size() * sizeof(RowId);
  }

 private:
  std::vector<std::size_t> starts_{0};
  std::vector<RowId> rows_;
};

}  // namespace gristmill
