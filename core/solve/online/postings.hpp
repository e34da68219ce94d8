// SPDX-License-Identifier: BSD-3-Clause
// For each feature the rows that have it, ascending.
#pragma once
#include "base/large_pages.hpp"
#include "solve/online/log.hpp"

namespace gristmill::solve::online {

class Postings {
 public:
  Postings() = default;
  // features: above every rank of the rows.
  Postings(const RankRows& rows, std::size_t features) : starts_(features + 2, 0) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (const rows::Rank rank : rows[row]) ++starts_[rank + std::size_t{2}];
    }
    for (std::size_t rank = 0; rank < features; ++rank) starts_[rank + 2] += starts_[rank + 1];
    rows_.resize(starts_.back());
    // One place further on for now: each start moves to where the next list begins while its own is filled.
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (const rows::Rank rank : rows[row]) rows_[starts_[rank + std::size_t{1}]++] = static_cast<RowId>(row);
    }
    starts_.pop_back();
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
  LargeVector<RowId> rows_;
};

}  // namespace gristmill::solve::online
