// SPDX-License-Identifier: BSD-3-Clause
#include "explain/drawn_shares.hpp"

#include <algorithm>

#include "explain/draws.hpp"

namespace gristmill::explain {
namespace {

template <class Value>
double mean_of(const Draws& draws, Value value) {
  double sum = 0.0;
  for (std::size_t hits = draws.low(); hits <= draws.high(); ++hits) sum += draws.chance(hits) * value(hits);
  return sum;
}

}  // namespace

DrawnShares::DrawnShares(const kernel::SetValues& values, std::size_t n) : values_(values), n_(n) {
  std::size_t entries = 0;
  for (const std::int32_t length : values.different()) {
    begins_.push_back(entries);
    entries += static_cast<std::size_t>(length) + 1;
  }
}

void DrawnShares::draw_all(std::size_t coming) {
  if (n_ < coming) return;
  const std::size_t others = n_ - coming;
  const std::vector<std::vector<Term>> terms = terms_by_others(coming);
  std::vector<Draws> draws;
  std::vector<const std::vector<Term>*> own;
  for (std::size_t k = 0; k < terms.size(); ++k) {
    if (terms[k].empty()) continue;
    draws.emplace_back(others, k);
    own.push_back(&terms[k]);
  }
  for (std::size_t more = 0; more < coming; ++more) tables_[more + 1] = values_.given(more);
  for (std::size_t j = 0; j <= others; ++j) {
    std::shift_left(tables_.begin(), tables_.begin() + static_cast<std::ptrdiff_t>(coming) + 1, 1);
    tables_[coming] = values_.given(j + coming);
    for (std::size_t at = 0; at < draws.size(); ++at) {
      for (const Term& term : *own[at]) {
        Shares& shares = term.asked->shares;
        double& share = coming == 1 ? (term.shared == 1 ? shares.in : shares.out)
                                    : (term.shared == 2   ? shares.ii
                                       : term.shared == 1 ? shares.io
                                                          : shares.oo);
        share +=
            mean_of(draws[at], [&](std::size_t p) { return gain(term, coming, p); }) / static_cast<double>(others + 1);
      }
      if (j < others) draws[at].draw();
    }
  }
}

std::vector<std::vector<DrawnShares::Term>> DrawnShares::terms_by_others(std::size_t coming) {
  std::vector<std::vector<Term>> terms;
  for (Asked& asked : asked_) {
    for (std::size_t shared = 0; shared <= coming; ++shared) {
      if (asked.overlap < shared || n_ - asked.overlap < coming - shared) continue;
      const std::size_t k = asked.overlap - shared;
      terms.resize(std::max(terms.size(), k + 1));
      terms[k].push_back({&asked, shared});
    }
  }
  return terms;
}

double DrawnShares::gain(const Term& term, std::size_t coming, std::size_t p) const {
  const std::size_t all = p + term.shared;
  if (coming == 1) return g(term, all, 1) - g(term, p, 0);
  const std::size_t first = p + std::min<std::size_t>(term.shared, 1);  // a shared one of the two, if there is any
  const std::size_t second = p + (term.shared == 2 ? 1 : 0);
  return (g(term, all, 2) - g(term, first, 1)) - (g(term, second, 1) - g(term, p, 0));
}

}  // namespace gristmill::explain
