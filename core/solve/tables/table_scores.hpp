// SPDX-License-Identifier: BSD-3-Clause
// Scores of rows from tables that were learned: an entry of each term, added to the intercept in the order of terms.
// Cost: an addition for each row, term and output.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/observer.hpp"
#include "solve/tables/codes.hpp"

namespace gristmill::solve::tables {

class TableScores {
 public:
  // bins of each column; columns of each term; the tables one after the other, each with an entry for each bin of its
  // columns and each output. Refuses what does not fit with std::invalid_argument.
  TableScores(std::vector<std::uint32_t> bins, std::vector<std::vector<std::uint32_t>> terms,
              std::vector<double> tables, std::vector<double> intercepts);

  [[nodiscard]] std::size_t outputs() const noexcept { return intercepts_.size(); }
  [[nodiscard]] std::span<const std::uint32_t> bins() const noexcept { return bins_; }
  [[nodiscard]] std::size_t nbytes() const noexcept { return tables_.size() * sizeof(double); }

  // out: rows x outputs. The codes are checked.
  void score(const Codes& codes, std::span<double> out, std::size_t threads, Observer& observer) const;

 private:
  std::vector<std::uint32_t> bins_;
  std::vector<std::vector<std::uint32_t>> terms_;
  std::vector<std::size_t> cells_{0};  // where each term's table begins
  std::vector<double> tables_;
  std::vector<double> intercepts_;
};

}  // namespace gristmill::solve::tables
