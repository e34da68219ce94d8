// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/trees/tree_constants.hpp"

#include <algorithm>
#include <set>

#include "base/variants.hpp"

namespace gristmill::kernel::trees {
namespace {

std::uint64_t nodes_of(const forest::TreeSet& set, std::size_t tree) {
  std::uint64_t nodes = 0;
  for (const forest::TreeSet::Part& part : set.parts(tree)) nodes += part.count;
  return nodes;
}

GRISTMILL_VARIANTS void weigh(const std::int32_t* counts, double weight, std::span<double> sums) {
  for (std::size_t tree = 0; tree < sums.size(); ++tree) sums[tree] = weight * counts[tree];
}

GRISTMILL_VARIANTS void add_weighed(const std::int32_t* counts, double weight, std::span<double> sums) {
  for (std::size_t tree = 0; tree < sums.size(); ++tree) sums[tree] += weight * counts[tree];
}

}  // namespace

TreeConstants::TreeConstants(const TreeKernel& kernel, const forest::SubtreeIndex& index)
    : tells_inner_(kernel.terminals != 1) {
  using Family = TreeKernel::Family;
  for (const auto& production : index.productions()) {
    const bool counts = kernel.family == Family::production && (!kernel.marked || production.marked);
    production_weights_.push_back(production.is_leaf() ? kernel.leaves : counts ? kernel.constant() : 0.0);
  }
  for (forest::LabelId label = 0; label < index.labels(); ++label) {
    const bool counts = !kernel.marked || index.is_marked(label);
    const bool alone = kernel.family == Family::sequence && kernel.constants;
    label_weights_.push_back(counts ? (alone ? kernel.constant(true) : 0.0) + kernel.single_nodes : 0.0);
    inner_weights_.push_back(counts && alone ? kernel.constant() - kernel.constant(true) : 0.0);
  }
  for (const Feature of : {Feature::production, Feature::label, Feature::inner}) {
    for (const double weight : std::set<double>(weights(of).begin(), weights(of).end())) {
      if (weight != 0) add_group(index, weight, of);
    }
  }
  for (std::size_t tree = 0; tree < index.trees(); ++tree) largest_ = std::max(largest_, nodes_of(index.set(), tree));
}

void TreeConstants::add_group(const forest::SubtreeIndex& index, double weight, Feature of) {
  const std::vector<double>& all = weights(of);
  std::vector<std::uint32_t> features(index.size());
  for (forest::SubtreeId id = 0; id < index.size(); ++id) {
    const forest::ProductionId production = index.production(id);
    const std::uint32_t feature = of == Feature::production ? production : index.productions()[production].label;
    const bool counts = of != Feature::inner || !index.productions()[production].is_leaf();
    features[id] = counts && all[feature] == weight ? feature : forest::CountColumns::none;
  }
  groups_.push_back({weight, of, forest::CountColumns(index.set(), features, all.size())});
}

void TreeConstants::count_features(const Group& group, const forest::TreeQueries& queries, std::size_t query,
                                   Scratch& scratch) const {
  auto& found = scratch.features;
  found.clear();
  for (const forest::TreeSet::Part& part : queries.set().parts(query)) {
    if (group.of == Feature::inner && queries.set().is_leaf(part.subtree)) continue;
    const bool is_production = group.of == Feature::production;
    const std::uint32_t feature = is_production ? queries.production(part.subtree) : queries.label(part.subtree);
    if (feature == forest::TreeQueries::none || weights(group.of)[feature] != group.weight) continue;
    found.emplace_back(feature, part.count);
  }
  std::ranges::sort(found);
  std::size_t kept = 0;
  for (const auto& [feature, count] : found) {
    if (kept > 0 && found[kept - 1].first == feature) {
      found[kept - 1].second += count;
    } else {
      found[kept++] = {feature, count};
    }
  }
  found.resize(kept);
}

void TreeConstants::fill(const forest::TreeQueries& queries, std::size_t query, std::span<double> sums,
                         Scratch& scratch) const {
  const std::uint64_t nodes = nodes_of(queries.set(), query);
  const bool fits = nodes == 0 || largest_ <= INT32_MAX / nodes;  // counts of pairs, as 32-bit numbers
  if (groups_.empty() || !fits) std::ranges::fill(sums, 0.0);
  for (const Group& group : groups_) {
    count_features(group, queries, query, scratch);
    if (!fits) {
      for (const auto& [feature, count] : scratch.features) group.columns.add(feature, group.weight * count, sums);
      continue;
    }
    scratch.sums.assign(sums.size(), 0);
    for (const auto& [feature, count] : scratch.features) {
      group.columns.add(feature, static_cast<std::int32_t>(count), std::span<std::int32_t>(scratch.sums));
    }
    const bool first = &group == groups_.data();
    first ? weigh(scratch.sums.data(), group.weight, sums) : add_weighed(scratch.sums.data(), group.weight, sums);
  }
}

std::size_t TreeConstants::nbytes() const noexcept {
  std::size_t bytes = (production_weights_.size() + label_weights_.size() + inner_weights_.size()) * sizeof(double);
  for (const Group& group : groups_) bytes += group.columns.nbytes();
  return bytes;
}

}  // namespace gristmill::kernel::trees
