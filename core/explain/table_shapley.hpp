// SPDX-License-Identifier: BSD-3-Clause
// Exact Shapley values and interactions of the columns of a table, where a score is a sum of entries of tables
//
//   f(x) = base + sum over sets S of columns of w_S[x_S]
//
// and w_S is what the columns of S add together, beyond what any fewer of them do, against some background (Harsanyi's
// dividends). A player is one column or several. Of a part S with p players each gets w / p, and each pair of them
// w / (p - 1): the Shapley value, and the interaction index of Grabisch and Roubens. Cost: an addition for each part
// and each of its players, and for each pair of them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/observer.hpp"
#include "solve/tables/codes.hpp"

namespace gristmill::explain {

class TableShapley {
 public:
  // bins of each column, and the number of its player; columns of each part, one to three; the tables of the parts, one
  // after the other, with an entry for each bin and output. Refuses what does not fit with std::invalid_argument.
  TableShapley(std::vector<std::uint32_t> bins, std::vector<std::uint32_t> players,
               const std::vector<std::vector<std::uint32_t>>& parts, std::vector<double> tables, std::size_t outputs);

  [[nodiscard]] std::size_t outputs() const noexcept { return outputs_; }
  [[nodiscard]] std::size_t players() const noexcept { return n_players_; }
  [[nodiscard]] std::span<const std::uint32_t> bins() const noexcept { return bins_; }

  // values: rows x players x outputs. interactions, or empty if nobody asks: rows x pairs (0, 1), (0, 2), ..., (1, 2),
  // ... x outputs. The codes are checked; threads change no bit.
  void explain(const solve::tables::Codes& codes, std::span<double> values, std::span<double> interactions,
               std::size_t threads, Observer& observer) const;

 private:
  struct Part {
    std::vector<std::uint32_t> columns;
    std::size_t begin;  // of its table
    std::size_t cells;  // times outputs
    double share = 1;   // of each player
    std::vector<std::size_t> players;
    double pair_share = 1;
    std::vector<std::size_t> pairs;
  };

  void add_part(const std::vector<std::uint32_t>& columns);
  void add(const Part& part, const solve::tables::Codes& codes, std::size_t begin, std::size_t end, double* values,
           double* interactions) const;

  std::vector<std::uint32_t> bins_;
  std::vector<std::uint32_t> player_of_;  // by column
  std::size_t n_players_ = 0;
  std::size_t outputs_;
  std::vector<double> tables_;
  std::vector<Part> parts_;
};

}  // namespace gristmill::explain
