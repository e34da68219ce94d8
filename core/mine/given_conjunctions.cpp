// SPDX-License-Identifier: BSD-3-Clause
#include "mine/given_conjunctions.hpp"

#include <algorithm>
#include <cmath>

#include "rows/conjunction_index.hpp"

namespace gristmill::mine {
namespace {

using rows::ConjunctionIndex;

std::vector<FeatureId> ids_at(const ConjunctionIndex& index, rows::Rank home, ConjunctionIndex::Place place) {
  std::vector<FeatureId> ids{index.features().ids()[home]};
  for (const rows::Rank rank : index.others(place)) ids.push_back(index.features().ids()[rank]);
  std::ranges::sort(ids);
  return ids;
}

// The places from this one on that have the same conjunction as this one.
ConjunctionIndex::Place end_of_equals(const ConjunctionIndex& index, ConjunctionIndex::Place place,
                                      ConjunctionIndex::Place end) {
  ConjunctionIndex::Place next = place + 1;
  while (next < end && std::ranges::equal(index.others(next), index.others(place))) ++next;
  return next;
}

// What the rows of one conjunction give to each output.
class ByOutput {
 public:
  explicit ByOutput(std::size_t outputs) : sums_(outputs) {}

  void add(const machine::Coefficients& coef, RowId row) {
    coef.for_each_in_row(row, [&](std::size_t output, double a) {
      if (a == 0) return;
      Conjunction& sum = sums_[output];
      (a > 0 ? sum.raises : sum.lowers) += a;
      ++sum.support;
    });
  }

  // visit(output, sums) where rows have a coefficient; they are forgotten.
  template <class Visit>
  void take(Visit visit) {
    for (std::size_t output = 0; output < sums_.size(); ++output) {
      if (sums_[output].support > 0) visit(output, std::exchange(sums_[output], {}));
    }
  }

 private:
  std::vector<Conjunction> sums_;
};

}  // namespace

std::vector<Conjunction> given_conjunctions(const machine::ConjunctionMachine& machine, std::size_t max_size,
                                            const HeaviestOptions& options) {
  const ConjunctionIndex index(machine.support());
  FoundConjunctions found(options);
  ByOutput sums(machine.outputs());
  for (rows::Rank home = 0; home < index.features().size(); ++home) {
    const ConjunctionIndex::Branch branch = index.at_home(home);
    ConjunctionIndex::Place next = branch.begin;
    while (next < branch.end) {
      const ConjunctionIndex::Place place = next;
      next = end_of_equals(index, place, branch.end);
      if (index.others(place).size() + 1 > max_size) continue;
      for (auto at = place; at < next; ++at) sums.add(machine.coef, index.number(at));
      sums.take([&](std::size_t output, Conjunction one) {
        const double weight = std::abs(one.weight());
        const bool wanted = output == options.output.value_or(output) && one.support >= options.min_support;
        if (!wanted || weight == 0 || weight < found.floor()) return;
        one.ids = ids_at(index, home, place);
        one.output = output;
        found.offer(std::move(one));
      });
    }
  }
  return std::move(found).sorted();
}

}  // namespace gristmill::mine
