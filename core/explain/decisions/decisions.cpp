// SPDX-License-Identifier: BSD-3-Clause
#include "explain/decisions/decisions.hpp"

#include "explain/decisions/conjunction_gains.hpp"
#include "explain/decisions/set_gains.hpp"
#include "explain/decisions/support_gains.hpp"
#include "score/conjunction_direct.hpp"
#include "score/direct.hpp"

namespace gristmill::explain::decisions {
namespace {

constexpr unsigned most_degrees = 12;  // that kernels are expanded for

bool is_expanded(const machine::SetMachine& machine, const GroupedFeatures& features) {
  if (!machine.kernel.is_polynomial()) return false;
  const kernel::PolynomialKernel& kernel = machine.kernel.polynomial();
  return kernel.degree >= 1 && kernel.degree <= most_degrees && kernel.gamma > 0 && kernel.coef0 >= 0 &&
         ConjunctionWeights::fits(machine.support(), kernel.degree, features.map.size(), machine.outputs());
}

using Features = std::shared_ptr<const GroupedFeatures>;

template <class Machine>
std::shared_ptr<const GainSource> listed(const Machine& machine, const GroupedFeatures& features, Observer& observer) {
  return std::make_shared<ConjunctionSource>(std::make_shared<const ConjunctionWeights>(machine, features, observer));
}

std::shared_ptr<const GainSource> source_of(const std::shared_ptr<const machine::SetMachine>& machine,
                                            const Features& features, Observer& observer) {
  if (!machine->kernel.by_overlap()) return std::make_shared<SetSource>(SupportLists(machine, features));
  if (is_expanded(*machine, *features)) return listed(*machine, *features, observer);
  return std::make_shared<SupportSource>(SupportLists(machine, features));
}

bool by_length(const machine::SetMachine& machine) { return !machine.kernel.by_overlap(); }
bool by_length(const machine::ConjunctionMachine&) { return false; }

std::shared_ptr<const GainSource> source_of(const std::shared_ptr<const machine::ConjunctionMachine>& machine,
                                            const Features& features, Observer& observer) {
  return listed(*machine, *features, observer);
}

template <class Scorer, class Machine>
Subject subject_of(const std::shared_ptr<const Machine>& machine, const FeatureGroups& groups,
                   const score::DecisionPolicy& policy, Observer& observer) {
  const bool all = by_length(*machine);
  const auto features = std::make_shared<const GroupedFeatures>(
      all ? GroupedFeatures::with_all(machine->support(), groups) : GroupedFeatures(machine->support(), groups));
  const auto scorer = std::make_shared<const Scorer>(machine);
  return {source_of(machine, features, observer),
          [features, all](FeatureId feature) {
            const Slot slot = features->find(feature);
            return all && feature >= 0 && slot == features->none() ? slot + 1 : slot;  // it counts in the length
          },
          [scorer](std::span<const FeatureId> row, std::span<double> out) {
            typename Scorer::Scratch scratch = scorer->make_scratch();
            scorer->score(row, out, scratch);
          },
          policy, machine->outputs()};
}

}  // namespace

Decisions::Decisions(const std::shared_ptr<const machine::SetMachine>& machine, const FeatureGroups& groups,
                     const score::DecisionPolicy& policy, Observer& observer)
    : subject_(subject_of<score::DirectScorer>(machine, groups, policy, observer)) {}

Decisions::Decisions(const std::shared_ptr<const machine::ConjunctionMachine>& machine, const FeatureGroups& groups,
                     const score::DecisionPolicy& policy, Observer& observer)
    : subject_(subject_of<score::ConjunctionDirect>(machine, groups, policy, observer)) {}

}  // namespace gristmill::explain::decisions
