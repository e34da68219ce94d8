// SPDX-License-Identifier: BSD-3-Clause
// Plain kernel learning with an inverted index (the paper's PAI KERNEL; PKI of Kudo and Matsumoto 2003). Cost per
// example: the postings of its features. Memory: a posting per feature of a support row.
#pragma once
#include <vector>

#include "solve/online/margins.hpp"

namespace gristmill::solve::online {

template <class Number>
class KernelMargins final : public Margins<Number> {
 public:
  KernelMargins(const kernel::PolynomialKernel& kernel, std::size_t outputs);

  bool scores(const Example& x, Sign sign, const SupportLog<Number>& log, std::span<Number> out) override;
  void add(const SupportLog<Number>& log) override;
  [[nodiscard]] std::uint64_t postings_read() const override { return postings_read_; }
  [[nodiscard]] std::size_t nbytes() const override;

 private:
  void append(RowId row, std::span<const rows::Rank> ranks);

  kernel::PolynomialKernel kernel_;
  std::size_t outputs_;
  std::vector<Number> values_;                // of the kernel, by overlap
  std::vector<std::vector<RowId>> postings_;  // by rank
  std::vector<Number> coef_;                  // rows x outputs
  std::vector<Number> total_;                 // of coefficients, per output
  std::vector<std::uint32_t> overlaps_;       // per row; zero between examples
  std::vector<RowId> touched_;
  std::size_t entries_ = 0;
  std::uint64_t postings_read_ = 0;
};

}  // namespace gristmill::solve::online
