// SPDX-License-Identifier: BSD-3-Clause
// The terms of a table model: fields, pairs and triples of fields, each with a table over the bins of its columns, and
// where the tables and their weights stand in two long arrays. Of a term
//
//   table = scale * (L_1 x L_2 x L_3) V,   an entry for each bin of its columns and each output
//
// with the factors L of its columns. Several terms may share columns and factors.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "solve/tables/factor.hpp"

namespace gristmill::solve::tables {

inline constexpr std::size_t most_columns = 3;

struct Term {
  std::vector<std::uint32_t> columns;  // 1 to 3
  std::vector<std::uint32_t> factors;  // of each
  double scale = 1;                    // 0: it is not there
};

class Terms {
 public:
  // Refuses terms of columns or factors that do not exist or do not fit, with std::invalid_argument.
  Terms(std::vector<Term> terms, std::vector<Factor> factors, std::span<const std::uint32_t> bins, std::size_t outputs);

  [[nodiscard]] std::size_t size() const noexcept { return terms_.size(); }
  [[nodiscard]] const Term& operator[](std::size_t term) const { return terms_[term]; }
  [[nodiscard]] std::size_t outputs() const noexcept { return outputs_; }
  // Where a term begins; those of size() are how many there are.
  [[nodiscard]] std::span<const std::size_t> cells() const noexcept { return cells_; }
  [[nodiscard]] std::span<const std::size_t> weights() const noexcept { return weights_; }
  // Of weights: 1 where they must not be negative; empty if all are free.
  [[nodiscard]] std::span<const std::uint8_t> steps() const noexcept { return steps_; }
  [[nodiscard]] std::size_t scratch_size() const noexcept { return largest_; }

  void set_scale(std::size_t term, double scale) { terms_[term].scale = scale; }

  // One term: its table from weights, and the gradient by weights from that by cells. Both arrays are those of all
  // terms; scratch has room for two times scratch_size().
  void to_table(std::size_t term, const double* weights, double* cells, double* scratch) const;
  void to_gradient(std::size_t term, const double* cells, double* weights, double* scratch) const;

 private:
  void place(const Term& term, std::span<const std::uint32_t> bins);
  void mark_steps();

  std::vector<Term> terms_;
  std::vector<Factor> factors_;
  std::size_t outputs_;
  std::vector<std::size_t> cells_{0};
  std::vector<std::size_t> weights_{0};
  std::vector<std::uint8_t> steps_;
  std::size_t largest_ = 0;
};

}  // namespace gristmill::solve::tables
