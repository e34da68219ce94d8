// SPDX-License-Identifier: BSD-3-Clause
// A machine made ready to be asked about its decisions. Immutable; threads share it.
#pragma once
#include <memory>
#include <span>

#include "explain/decisions/conjunction_weights.hpp"
#include "explain/decisions/search.hpp"
#include "machine/conjunction_machine.hpp"
#include "machine/machine.hpp"

namespace gristmill::explain::decisions {

class Decisions {
 public:
  // Rows have at most one feature of each group.
  Decisions(const std::shared_ptr<const machine::SetMachine>& machine, const FeatureGroups& groups,
            const score::DecisionPolicy& policy, Observer& observer);
  Decisions(const std::shared_ptr<const machine::ConjunctionMachine>& machine, const FeatureGroups& groups,
            const score::DecisionPolicy& policy, Observer& observer);

  [[nodiscard]] std::size_t outputs() const noexcept { return subject_.outputs; }
  [[nodiscard]] std::size_t nbytes() const noexcept { return subject_.source->nbytes(); }

  [[nodiscard]] Outcome search(const Choices& choices, const Request& request, const Limits& limits,
                               Observer& observer) const {
    return Search(subject_, choices, request, limits, observer).run();
  }

 private:
  Subject subject_;
};

}  // namespace gristmill::explain::decisions
