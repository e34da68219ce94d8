// SPDX-License-Identifier: BSD-3-Clause
// The scorer by columns of bits, for kernels of sets whose support rows are dense, such as fingerprints of molecules.
//
//   f(x) = b + sum_i a_i k(m_i, |x|, |s_i|)
//
// The overlaps m_i of 256 support rows are counted at once (BitIndex). As the inverted index, it looks at the features
// of x alone; a frequent one takes it an eighth of the memory and a third of the time.
// Cost per example: five vector operations per frequent feature and 256 rows, the lists of rare features, and a value
// and a product for every row. Memory: a bit per support row and frequent feature, 4 bytes per occurrence of others.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "kernel/set_values.hpp"
#include "machine/machine.hpp"
#include "rows/bit_index.hpp"

namespace gristmill::score {

class BitsScorer {
 public:
  // One per thread. Between calls all rare counts are zero.
  struct Scratch {
    rows::BitIndex::Block block;
    std::vector<double> factors;  // of the coefficients of every support row
    rows::BitIndex::Rare rare;
    rows::BitIndex::Query query;
    rows::BitIndex::Counts counts;
  };

  explicit BitsScorer(std::shared_ptr<const machine::SetMachine> machine);

  [[nodiscard]] std::size_t outputs() const noexcept { return machine_->outputs(); }
  [[nodiscard]] std::size_t nbytes() const noexcept;
  [[nodiscard]] Scratch make_scratch() const;

  // Writes outputs() scores. Equals DirectScorer up to the order of summation.
  void score(rows::Row x, std::span<double> out, Scratch& scratch) const;

 private:
  void find_factors(rows::Row x, Scratch& scratch) const;

  std::shared_ptr<const machine::SetMachine> machine_;
  rows::BitIndex index_;
  kernel::SetValues values_;
};

}  // namespace gristmill::score
