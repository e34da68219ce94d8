// SPDX-License-Identifier: BSD-3-Clause
#include "score/expanded/costs.hpp"

#include <algorithm>
#include <cmath>

#include "rows/bit_index.hpp"
#include "score/expanded/output_rows.hpp"
#include "score/tallied.hpp"

namespace gristmill::score::expanded {
namespace {

constexpr double cache_line = 64;
constexpr double slot_bytes = 16;  // bytes of a comb that a conjunction takes, the empty ones beside it included

struct Sizes {
  explicit Sizes(const machine::SetMachine& machine)
      : rows(static_cast<double>(machine.support().size())),
        entries(static_cast<double>(machine.ids.size())),
        strips(static_cast<double>(machine::Coefficients::strips(machine.outputs()))),
        several(machine.outputs() == 1 ? 0 : 1),
        coefficients(several * static_cast<double>(machine.coef.size()) / std::max(rows, 1.0)),
        weight(static_cast<double>(weight_size(machine.outputs()))),
        fetched(several > 0 ? static_cast<double>(sizeof(std::int16_t) * coarse_outputs(machine.outputs())) : weight),
        lines(std::max(1.0, fetched / cache_line)) {}

  double rows;
  double entries;
  double strips;        // in which coefficients are added up
  double several;       // 1 if there are several outputs, else 0
  double coefficients;  // of a support row, if there are several outputs
  double weight;        // bytes of the weights of a conjunction ...
  double fetched;       // ... those that most classes are told by, coarse ones if there are several outputs, ...
  double lines;         // ... and the cache lines they take
};

// How far apart probes lie, in megabytes summed over them. If rows are like support rows, these have as many
// conjunctions, and in the worst case all of them are different.
double distance_of_probes(const Work& work, const Sizes& sizes) {
  return work.probes * (work.probes * sizes.rows) * (slot_bytes + sizes.several * sizes.fetched) / megabyte;
}

// Nanoseconds are those of a processor of 2.6 GHz. Only their ratios matter.

Terms direct_terms(const Sizes& sizes) {
  return {
      {"rows", 65, 1},
      {"support entries", 0.5, sizes.entries},
      {"support strips", 1.6, sizes.rows * sizes.strips},
  };
}

// Nanoseconds that a value of the kernel takes beyond a look at a table by overlap.
double value_cost(const kernel::SetKernel& kernel) {
  if (kernel.by_overlap()) return 0;
  const auto& form = kernel.form();
  const bool reads =
      std::holds_alternative<kernel::RbfKernel>(form) || std::holds_alternative<kernel::GivenKernel>(form);
  return reads ? 0.3 : 0.9;  // a quotient is computed
}

// tallied: the share of support rows that are counted in groups, not looked at one by one.
Terms inverted_terms(const Work& work, const Sizes& sizes, double tallied, double value) {
  const double looked_at = 1 - tallied;
  Terms terms = {
      {"rows", 42, 1},
      {"features", 7, work.features},
      {"postings", 0.5, looked_at * work.postings},
      {"column rows", 0.018, looked_at * work.columns * sizes.rows},
      {"touched rows", 6.7, looked_at * work.touched},
      {"touched coefficients", 1.2, looked_at * work.touched * sizes.coefficients},
      {"passes", 20, work.passes * sizes.several},
      {"passed rows", 0.33, looked_at * work.passes * sizes.rows},
      {"passed strips", 1.2, looked_at * work.passes * sizes.rows * sizes.several * sizes.strips},
  };
  if (value > 0) terms.push_back({"values", value + 0.5, looked_at * (work.touched + work.passes * sizes.rows)});
  if (tallied > 0) terms.push_back({"tallied rows", 0.018 / 8, tallied * sizes.rows * work.features});
  return terms;
}

Terms bits_terms(const Work& work, const Sizes& sizes) {
  return {
      {"rows", 42, 1},
      {"features", 7, work.features},
      {"lists", 1.5, work.bit_lists},
      {"column blocks", 2, work.bit_columns * std::ceil(sizes.rows / rows::BitIndex::block_rows)},
      {"blocks", 70, std::ceil(sizes.rows / rows::BitIndex::block_rows)},
      {"passed rows", 0.5, sizes.rows},
      {"passed strips", 1.2, sizes.rows * sizes.several * sizes.strips},
  };
}

Terms expanded_terms(const Work& work, const Sizes& sizes) {
  const double added = sizes.several * std::min(1.0, work.overlap) * work.lines;  // one output needs no test
  return {
      {"rows", 40, 1},
      {"features", 4, work.features},
      {"comparisons", 2, work.comparisons},
      {"entries", 0.22, work.entries},
      {"distance", 0.3, sizes.lines * work.distance},
      {"probes", 1.9, work.probes},
      {"distance of probes", 0.04, sizes.lines * distance_of_probes(work, sizes)},
      {"rare", 13, work.rare},
      {"lines", 1, work.lines},
      {"line words", 1.1, work.line_words},
      {"vectors", 1.2, sizes.several * sizes.weight / 32 * (work.features + work.entries + work.probes)},
      {"added lines", 7.5, added},
      {"added coefficients", 0.55, added * sizes.coefficients},
  };
}

}  // namespace

Costs costs_of(const Work& work, const machine::SetMachine& machine) {
  const Sizes sizes(machine);
  const bool polynomial = machine.kernel.is_polynomial();
  const double value = value_cost(machine.kernel);
  Costs costs{direct_terms(sizes), inverted_terms(work, sizes, polynomial ? 0 : TalliedRows::share(machine), value),
              bits_terms(work, sizes), polynomial ? expanded_terms(work, sizes) : Terms()};
  if (value > 0) {
    costs.direct.push_back({"values", value, sizes.rows});
    costs.bits.push_back({"values", value, sizes.rows});
  }
  return costs;
}

double nanoseconds(const Terms& terms) {
  double sum = 0;
  for (const CostTerm& term : terms) sum += term.each * term.count;
  return sum;
}

}  // namespace gristmill::score::expanded
