// SPDX-License-Identifier: BSD-3-Clause
#include "solve/tables/table_scores.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/parallel.hpp"
#include "solve/tables/lookups.hpp"

namespace gristmill::solve::tables {
namespace {

constexpr std::size_t scored_at_once = 2048;  // rows whose scores stay in the nearest cache

}  // namespace

TableScores::TableScores(std::vector<std::uint32_t> bins, std::vector<std::vector<std::uint32_t>> terms,
                         std::vector<double> tables, std::vector<double> intercepts)
    : bins_(std::move(bins)), terms_(std::move(terms)), tables_(std::move(tables)), intercepts_(std::move(intercepts)) {
  for (const std::vector<std::uint32_t>& columns : terms_) {
    if (columns.empty() || columns.size() > most_columns)
      throw std::invalid_argument("a term has one to three columns");
    std::size_t cells = outputs();
    for (const std::uint32_t column : columns) {
      if (column >= bins_.size()) throw std::invalid_argument("a term names columns that exist");
      cells *= bins_[column];
    }
    cells_.push_back(cells_.back() + cells);
  }
  if (cells_.back() != tables_.size()) throw std::invalid_argument("tables have an entry for each bin and output");
}

void TableScores::score(const Codes& codes, std::span<double> out, std::size_t threads, Observer& observer) const {
  check_codes(codes);
  if (!std::ranges::equal(codes.bins, bins_)) throw std::invalid_argument("the table has other columns");
  if (out.size() != codes.rows * outputs()) throw std::invalid_argument("there is a place for each row and output");
  parallel_for(codes.rows, scored_at_once, threads, observer, [&](std::size_t begin, std::size_t end, std::size_t) {
    double* scores = out.data() + begin * outputs();
    for (std::size_t row = 0; row < end - begin; ++row) std::ranges::copy(intercepts_, scores + row * outputs());
    for (std::size_t term = 0; term < terms_.size(); ++term) {
      const Lookup lookup{terms_[term], cells_[term + 1] - cells_[term], outputs()};
      add_entries(codes, lookup, &tables_[cells_[term]], begin, end, scores);
    }
  });
}

}  // namespace gristmill::solve::tables
