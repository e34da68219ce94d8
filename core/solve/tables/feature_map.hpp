// SPDX-License-Identifier: BSD-3-Clause
// The features of rows, which nobody writes down: scores of rows from weights, and weights from values of rows. A row's
// scores are a sum of one entry of each term's table, tables are products of weights with factors (terms.hpp).
#pragma once
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "solve/tables/cells.hpp"
#include "solve/tables/codes.hpp"
#include "solve/tables/terms.hpp"
#include "solve/tables/workers.hpp"

namespace gristmill::solve::tables {

class FeatureMap {
 public:
  // Borrows the codes.
  FeatureMap(Codes codes, Terms terms) : codes_(std::move(codes)), terms_(std::move(terms)) {}

  [[nodiscard]] std::size_t rows() const noexcept { return codes_.rows; }
  [[nodiscard]] const Codes& codes() const noexcept { return codes_; }
  [[nodiscard]] const Terms& terms() const noexcept { return terms_; }
  void set_scale(std::size_t term, double scale) { terms_.set_scale(term, scale); }

  // The tables of all terms, one after the other; they stay until the next call of whatever.
  [[nodiscard]] std::span<const double> tables(std::span<const double> weights, Workers& workers);
  // scores, rows x outputs, become the features of rows times weights.
  void score(std::span<const double> weights, std::vector<double>& scores, Workers& workers);
  // out becomes base + factor times the sum of the features of rows times their values, rows x outputs; an empty base
  // is 0.
  void gather(std::span<const double> values, double factor, std::span<const double> base, std::vector<double>& out,
              Workers& workers);

 private:
  [[nodiscard]] Lookup lookup_of(std::size_t term) const;
  void gather_terms(std::size_t first, std::size_t last, std::span<const double> values, double* out,
                    std::vector<double>& scratch);

  Codes codes_;
  Terms terms_;
  std::vector<double> cells_;
  std::vector<std::vector<double>> scratch_;  // of each worker
};

}  // namespace gristmill::solve::tables
