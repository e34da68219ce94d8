// SPDX-License-Identifier: BSD-3-Clause
#include "solve/tables/feature_map.hpp"

#include <algorithm>

#include "solve/tables/lookups.hpp"

namespace gristmill::solve::tables {
namespace {

constexpr std::size_t rows_at_once = 2048;         // their scores stay in the nearest cache
constexpr std::size_t values_at_once = 1U << 17U;  // these in the next one
constexpr std::size_t terms_at_once = 4;           // of one piece of work

std::size_t groups_of(std::size_t count, std::size_t size) { return (count + size - 1) / size; }

}  // namespace

Lookup FeatureMap::lookup_of(std::size_t term) const {
  return Lookup{terms_[term].columns, terms_.cells()[term + 1] - terms_.cells()[term], terms_.outputs()};
}

std::span<const double> FeatureMap::tables(std::span<const double> weights, Workers& workers) {
  cells_.resize(terms_.cells().back());
  scratch_.resize(workers.size());
  workers.run(terms_.size(), [&](std::size_t term, std::size_t worker) {
    std::vector<double>& scratch = scratch_[worker];
    if (scratch.size() < 2 * terms_.scratch_size()) scratch.resize(2 * terms_.scratch_size());
    terms_.to_table(term, weights.data(), cells_.data(), scratch.data());
  });
  return cells_;
}

void FeatureMap::score(std::span<const double> weights, std::vector<double>& scores, Workers& workers) {
  static_cast<void>(tables(weights, workers));
  const std::size_t outputs = terms_.outputs();
  scores.resize(codes_.rows * outputs);
  workers.run(groups_of(codes_.rows, rows_at_once), [&](std::size_t piece, std::size_t) {
    const std::size_t begin = piece * rows_at_once;
    const std::size_t end = std::min(begin + rows_at_once, codes_.rows);
    double* out = scores.data() + begin * outputs;
    std::fill_n(out, (end - begin) * outputs, 0.0);
    for (std::size_t term = 0; term < terms_.size(); ++term) {
      if (terms_[term].scale == 0) continue;
      add_entries(codes_, lookup_of(term), &cells_[terms_.cells()[term]], begin, end, out);
    }
  });
}

void FeatureMap::gather(std::span<const double> values, double factor, std::span<const double> base,
                        std::vector<double>& out, Workers& workers) {
  out.resize(terms_.weights().back());
  cells_.resize(terms_.cells().back());
  scratch_.resize(workers.size());
  workers.run(groups_of(terms_.size(), terms_at_once), [&](std::size_t group, std::size_t worker) {
    const std::size_t first = group * terms_at_once;
    const std::size_t last = std::min(first + terms_at_once, terms_.size());
    gather_terms(first, last, values, out.data(), scratch_[worker]);
    for (std::size_t i = terms_.weights()[first]; i < terms_.weights()[last]; ++i) {
      out[i] = (base.empty() ? 0.0 : base[i]) + factor * out[i];
    }
  });
}

void FeatureMap::gather_terms(std::size_t first, std::size_t last, std::span<const double> values, double* out,
                              std::vector<double>& scratch) {
  const auto cells = terms_.cells();
  std::fill(&cells_[cells[first]], cells_.data() + cells[last], 0.0);
  std::size_t wanted = 2 * terms_.scratch_size();
  for (std::size_t term = first; term < last; ++term) wanted = std::max(wanted, lanes_size(lookup_of(term)));
  if (scratch.size() < wanted) scratch.resize(wanted);
  for (std::size_t begin = 0; begin < codes_.rows; begin += values_at_once) {
    const std::size_t end = std::min(begin + values_at_once, codes_.rows);
    for (std::size_t term = first; term < last; ++term) {
      if (terms_[term].scale == 0) continue;
      add_values(codes_, lookup_of(term), values.data(), begin, end, scratch.data(), &cells_[cells[term]]);
    }
  }
  for (std::size_t term = first; term < last; ++term) {
    terms_.to_gradient(term, cells_.data(), out, scratch.data());
  }
}

}  // namespace gristmill::solve::tables
