// SPDX-License-Identifier: BSD-3-Clause
// The support rows of a machine by slot: the features of each row, and the rows of each feature.
#pragma once
#include <memory>

#include "base/lists.hpp"
#include "explain/decisions/conjunction_weights.hpp"

namespace gristmill::explain::decisions {

struct SupportLists {
  SupportLists(std::shared_ptr<const machine::SetMachine> of, std::shared_ptr<const GroupedFeatures> by);

  [[nodiscard]] std::size_t nbytes() const noexcept {
    return features->map.nbytes() + rows.nbytes() + postings.nbytes() + machine->nbytes();
  }

  std::shared_ptr<const machine::SetMachine> machine;
  std::shared_ptr<const GroupedFeatures> features;
  Lists<Slot> rows;
  Lists<RowId> postings;
};

}  // namespace gristmill::explain::decisions
