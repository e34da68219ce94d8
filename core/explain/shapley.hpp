// SPDX-License-Identifier: BSD-3-Clause
// Exact Shapley values and interactions of the features of an example (docs/formulas.md A10), against the empty row: a
// feature is there or it is absent. A support row that shares m features with the example gives each of them share(m),
// and each pair of them pair(m) (see ShapleyShares), so
//
//   phi_f = sum over support rows i with f of a_i share(m_i)          sum over f of phi_f = f(x) - f(empty row)
//   I_fg  = sum over support rows i with f and g of a_i pair(m_i)
//
// Kernels of sets that see lengths also give values to features that a row has not, since these change |x| (SetShares):
//
//   phi_f = sum over all support rows of a_i out_i + sum over those with f of a_i (in_i - out_i)
//   I_fg  = sum over all of a_i oo_i + sum over those with f, and over those with g, of a_i (io_i - oo_i)
//           + sum over those with f and g of a_i (ii_i - 2 io_i + oo_i)
//
// which are the same sums with other factors and some more of them.
//
// Cost of values: the inverted index once to count, once more to add. Interactions: frequent features by sums over
// codes (ColumnCodes), a frequent and a rare one by the postings of the rare one, two rare ones row by row.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "explain/column_codes.hpp"
#include "explain/row_parts.hpp"
#include "explain/set_shares.hpp"
#include "explain/shapley_shares.hpp"
#include "machine/machine.hpp"
#include "rows/overlap_index.hpp"

namespace gristmill::explain {

class ShapleyExplainer {
 public:
  // A feature of the example that support rows have.
  struct Known {
    std::uint32_t place;  // in the example
    rows::Rank rank;
  };

  // One per thread. Between calls all counters are zero.
  struct Scratch {
    rows::OverlapIndex::Query query;
    rows::OverlapIndex::Counters counters;
    std::vector<Known> frequent;  // features with columns
    std::vector<Known> rare;      // features with postings
    std::vector<double> parts;    // per support row that shares a feature: what it gives to each feature, or pair
    ColumnCodes codes;
    std::vector<double> sums;  // by code, or by pair of codes
    struct Link {
      std::uint32_t place;  // of a feature, in the example
      std::uint32_t next;
    };
    std::vector<std::uint32_t> heads;  // per support row: the link of its last rare feature; zero between calls
    std::vector<Link> links;           // the first one stands for none
    SetShares::Memo shares;
    std::vector<SetShares::Entry> asked;  // of shares
    std::vector<double> total;            // per output: what all features get, or all pairs
    std::vector<double> singles;          // features x outputs: what each gives to its pairs
  };

  explicit ShapleyExplainer(std::shared_ptr<const machine::SetMachine> machine);

  [[nodiscard]] std::size_t outputs() const noexcept { return machine_->outputs(); }
  [[nodiscard]] std::size_t nbytes() const noexcept;
  [[nodiscard]] Scratch make_scratch() const;

  // values: features of x x outputs; under a kernel that sees overlaps alone features that no support row has get 0.
  // interactions: pairs of features of x, (0, 1), (0, 2), ..., (1, 2), ..., x outputs; or empty, if nobody asks.
  void explain(rows::Row x, std::span<double> values, std::span<double> interactions, Scratch& scratch) const;

  [[nodiscard]] static std::size_t pairs(std::size_t features) noexcept {
    return features < 2 ? 0 : features * (features - 1) / 2;
  }

 private:
  void count_overlaps(rows::Row x, Scratch& scratch) const;
  void forget_overlaps(Scratch& scratch) const;
  template <class Outputs>
  void explain_by_overlap(const Outputs& with, const ShapleyShares& shares, std::size_t features,
                          std::span<double> values, std::span<double> interactions, Scratch& scratch) const;
  template <class Outputs>
  void explain_by_length(const Outputs& with, std::size_t features, std::span<double> values,
                         std::span<double> interactions, Scratch& scratch) const;
  [[nodiscard]] const ShareTable& shares_for(std::size_t features, bool pairs, Scratch& scratch) const;
  void ask_for_shares(Scratch& scratch) const;
  // What all rows give with these factors.
  template <class Outputs>
  void sum_rows(const Outputs& with, const ShareTable& table, const std::vector<double>& factor,
                Scratch& scratch) const;
  template <class Outputs, class Factor>
  void weigh_rows(const Outputs& with, const Factor& factor, Scratch& scratch) const;
  void make_codes(std::size_t most, Scratch& scratch) const;
  void add_values(const SingleOutput& with, std::span<double> out, Scratch& scratch) const;
  template <class Outputs>
  void add_values(const Outputs& with, std::span<double> out, Scratch& scratch) const;
  template <class Outputs>
  void add_interactions(const Outputs& with, std::size_t features, std::span<double> out, Scratch& scratch) const;
  template <class Outputs, class Pair>
  void add_rare_pairs(const Outputs& with, const Pair& pair, Scratch& scratch) const;

  // For kernels that see lengths.
  struct ByLength {
    kernel::SetValues values;
    SetShares shares;
    std::vector<std::uint32_t> places;  // of the length of each support row
    std::vector<double> coef;           // places x outputs: sums of coefficients

    explicit ByLength(const machine::SetMachine& machine);
    [[nodiscard]] auto factor(const ShareTable& table, const std::vector<double>& of) const {
      return [of = of.data(), places = places.data(), stride = table.stride](std::size_t row, std::size_t overlap) {
        return of[places[row] * stride + overlap];
      };
    }
  };

  std::shared_ptr<const machine::SetMachine> machine_;
  rows::OverlapIndex index_;
  std::optional<ShapleyShares> by_overlap_;
  std::unique_ptr<const ByLength> by_length_;
};

}  // namespace gristmill::explain
