// SPDX-License-Identifier: BSD-3-Clause
// Exact Shapley values and interactions of features where the conjunctions of a machine are given (docs/formulas.md
// A10). Players are the features in which x and the reference differ. A conjunction with a feature that neither of them
// has is out of the game, and one feature that both have makes no difference. Otherwise it wants p features of x to
// come and q features of the reference to stay, and holds where all of them do:
//
//   value         of one that is to come   a (p-1)! q! / (p+q)!         of one that is to stay  -a p! (q-1)! / (p+q)!
//   interaction   of two that are to come  a (p-2)! q! / (p+q-1)!       of two that are to stay  a p! (q-2)! / (p+q-1)!
//                 of one of each          -a (p-1)! (q-1)! / (p+q-1)!
//
// which is a / p and a / (p - 1) against the empty row. A player that is a group of features comes where all those of
// the conjunction are in x, and stays where all are in the reference. Cost: the conjunctions at home with the features
// of both rows.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/observer.hpp"
#include "explain/contrasts.hpp"
#include "machine/conjunction_machine.hpp"
#include "rows/conjunction_index.hpp"

namespace gristmill::explain {

class ConjunctionShapley {
 public:
  // One per thread. Between calls all marks are zero.
  struct Scratch {
    std::vector<rows::Rank> known;
    std::vector<std::uint8_t> marked;   // by rank
    std::vector<std::uint32_t> places;  // by rank: in the row
    struct Member {
      std::size_t player;
      bool in_x;
      bool in_reference;
    };
    std::vector<Member> members;    // the players of a conjunction
    std::vector<std::size_t> come;  // those that are to come, ...
    std::vector<std::size_t> stay;  // ... and to stay
  };

  explicit ConjunctionShapley(std::shared_ptr<const machine::ConjunctionMachine> machine);

  [[nodiscard]] std::size_t outputs() const noexcept { return machine_->outputs(); }
  [[nodiscard]] std::size_t nbytes() const noexcept { return index_.nbytes() + machine_->nbytes(); }
  [[nodiscard]] Scratch make_scratch() const;

  // values: players x outputs. interactions, or empty if nobody asks: for row after row its pairs of players (0, 1),
  // (0, 2), ..., (1, 2), ..., x outputs. All of it is added. Values other than 0 are as 1. Threads change no bit.
  void explain(const Contrasts& contrasts, std::span<double> values, std::span<double> interactions,
               std::size_t threads, Observer& observer) const;

 private:
  void explain_row(const Contrasts& contrasts, std::size_t row, std::span<double> values,
                   std::span<double> interactions, Scratch& scratch) const;
  // Divides the members into those that are to come and to stay; false where the conjunction never holds.
  [[nodiscard]] static bool divide(bool grouped, Scratch& scratch);
  void add(RowId number, std::size_t players, std::span<double> values, std::span<double> interactions,
           const Scratch& scratch) const;

  std::shared_ptr<const machine::ConjunctionMachine> machine_;
  rows::ConjunctionIndex index_;
};

}  // namespace gristmill::explain
