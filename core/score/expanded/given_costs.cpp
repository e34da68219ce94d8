// SPDX-License-Identifier: BSD-3-Clause
#include "score/expanded/given_costs.hpp"

#include <algorithm>

#include "score/expanded/output_rows.hpp"

namespace gristmill::score::expanded {
namespace {

constexpr double usual_features = 16;
constexpr std::size_t most_sampled = 512;  // rows

// Of a row, on average.
struct GivenWork {
  double features = 0;  // that conjunctions have
  double pairs = 0;     // of those
  double at_home = 0;   // conjunctions at home with them
};

GivenWork usual_work(const rows::ConjunctionIndex& index) {
  double entries = 0;
  double at_home = 0;
  for (rows::Rank rank = 0; rank < index.features().size(); ++rank) {
    const auto count = static_cast<double>(index.features().count(rank));
    entries += count;
    at_home += count * static_cast<double>(index.at_home(rank).size());
  }
  const double features = std::min(usual_features, static_cast<double>(index.features().size()));
  return {features, features * (features - 1) / 2, features * at_home / std::max(entries, 1.0)};
}

GivenWork work_of(const rows::ConjunctionIndex& index, rows::Rows sample) {
  GivenWork work;
  double looked_at = 0;
  const std::size_t step = std::max<std::size_t>(1, sample.size() / most_sampled);
  for (std::size_t row = 0; row < sample.size(); row += step, ++looked_at) {
    double features = 0;
    for (const FeatureId id : sample[row]) {
      const rows::Rank rank = index.features().find(id);
      if (rank == rows::FeatureMap::unseen) continue;
      ++features;
      work.at_home += static_cast<double>(index.at_home(rank).size());
    }
    work.features += features;
    work.pairs += features * (features - 1) / 2;
  }
  return {work.features / looked_at, work.pairs / looked_at, work.at_home / looked_at};
}

}  // namespace

Costs costs_of_given(const machine::ConjunctionMachine& machine, const rows::ConjunctionIndex& index,
                     rows::Rows sample) {
  const GivenWork work = sample.size() == 0 ? usual_work(index) : work_of(index, sample);
  const auto rows = static_cast<double>(machine.support().size());
  const double levels = std::max<double>(static_cast<double>(index.longest()), 2) - 1;
  const double weight = static_cast<double>(weight_size(machine.outputs())) / 8;
  Costs costs;
  costs.direct = {{"rows", 45, 1}, {"features", 4, work.features}, {"support rows", 4, rows}};
  costs.inverted = {{"rows", 45, 1}, {"features", 7, work.features}, {"at home", 6, work.at_home}};
  costs.expanded = {{"rows", 40, 1},
                    {"features", 4, work.features},
                    {"probes", 2.2, index.longest() < 2 ? 0 : levels * work.pairs},
                    {"vectors", 0.3, (weight - 1) * (work.features + work.pairs)}};
  return costs;
}

}  // namespace gristmill::score::expanded
