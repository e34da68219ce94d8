// SPDX-License-Identifier: BSD-3-Clause
// What a support row gives to the features of an example under a given kernel of sets, see SetShares: means over
// prefixes of random orders.
//
// What two features add together, say, comes after j of the other n - 2, j uniform from 0 to n - 2; of these j, p are
// among the k that the support row has, by the hypergeometric distribution (Draws).
// Cost: for each number k of others n draws of a window of some sqrt(n), for each entry the same; the kernel is asked
// for its values at all lengths up to n.
#pragma once
#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "kernel/set_values.hpp"

namespace gristmill::explain {

class DrawnShares {
 public:
  struct Shares {
    double in = 0;
    double out = 0;
    double ii = 0;
    double io = 0;
    double oo = 0;
  };

  DrawnShares(const kernel::SetValues& values, std::size_t n);

  void ask(std::size_t place, std::size_t overlap) { asked_.push_back({place, overlap, {}}); }
  [[nodiscard]] bool empty() const noexcept { return asked_.empty(); }

  // visit(place, overlap, shares) for all that was asked.
  template <class Visit>
  void draw(bool pairs, Visit visit) {
    draw_all(1);
    if (pairs) draw_all(2);
    for (const Asked& asked : asked_) visit(asked.place, asked.overlap, asked.shares);
  }

 private:
  struct Asked {
    std::size_t place;
    std::size_t overlap;
    Shares shares;
  };
  // A share to find: `shared` of the features that come are among those of the support row.
  struct Term {
    Asked* asked;
    std::size_t shared;
  };
  using Table = std::shared_ptr<const std::vector<double>>;

  void draw_all(std::size_t coming);
  [[nodiscard]] std::vector<std::vector<Term>> terms_by_others(std::size_t coming);
  // What those that come add to p shared features of a prefix.
  [[nodiscard]] double gain(const Term& term, std::size_t coming, std::size_t p) const;
  [[nodiscard]] double g(const Term& term, std::size_t p, std::size_t more) const {
    return (*tables_[more])[begins_[term.asked->place] + p];
  }

  const kernel::SetValues& values_;
  std::size_t n_;
  std::vector<std::size_t> begins_;  // of lengths, in tables
  std::vector<Asked> asked_;
  std::array<Table, 3> tables_;  // for prefixes of j, j + 1 and j + 2
};

}  // namespace gristmill::explain
