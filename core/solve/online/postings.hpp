// SPDX-License-Identifier: BSD-3-Clause
// For each feature the rows that have it, ascending.
#pragma once
#include "base/large_pages.hpp"
#include "base/lists.hpp"
#include "solve/online/log.hpp"

namespace gristmill::solve::online {

using Postings = Lists<RowId, std::size_t, LargeVector<RowId>>;  // by rank

// features: above every rank of the rows.
[[nodiscard]] inline Postings postings_of(const RankRows& rows, std::size_t features) {
  return Postings::grouped(features, [&](auto visit) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (const rows::Rank rank : rows[row]) visit(rank, static_cast<RowId>(row));
    }
  });
}

}  // namespace gristmill::solve::online
