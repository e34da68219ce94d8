// SPDX-License-Identifier: BSD-3-Clause
// The direct scorer in real arithmetic, for machines or data whose values are not all 0 and 1: the same definition with
// <s_i, x> in place of the overlap, summed over ascending feature ids as LIBSVM does.
//
// Support rows with few zeros are kept as a matrix too: sixteen rows at a time are then multiplied with it, and the
// bits are the same.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernel/dense_rows.hpp"
#include "machine/machine.hpp"
#include "rows/feature_map.hpp"

namespace gristmill::score {

class RealScorer {
 public:
  static constexpr std::size_t grain = 16;  // rows at once

  // One per thread. Between calls all values are zero.
  struct Scratch {
    std::vector<double> values;    // of the features in x: by rank; of a matrix as its columns, one x after the other
    std::vector<double> products;  // <s_i, x> and then k(s_i, x) of every support row
  };

  explicit RealScorer(std::shared_ptr<const machine::SetMachine> machine);

  [[nodiscard]] std::size_t outputs() const noexcept { return machine_->outputs(); }
  [[nodiscard]] std::size_t nbytes() const noexcept;
  [[nodiscard]] Scratch make_scratch() const;

  // Writes outputs() scores of each row from `begin` to `end`, grain of them at most.
  void score(rows::RealRows rows, std::size_t begin, std::size_t end, std::span<double> out, Scratch& scratch) const;

 private:
  void multiply(rows::RealRows rows, std::size_t begin, std::size_t end, Scratch& scratch) const;
  void walk(rows::RealRows rows, std::size_t x, Scratch& scratch) const;
  [[nodiscard]] double dot(std::size_t row, const Scratch& scratch) const;
  void add_up(double square, std::span<double> products, std::span<double> out) const;

  std::shared_ptr<const machine::SetMachine> machine_;
  rows::FeatureMap features_;
  std::vector<rows::Rank> ranks_;  // of the support entries
  std::vector<double> squares_;    // <s_i, s_i>
  std::optional<kernel::DenseRows> matrix_;
};

}  // namespace gristmill::score
