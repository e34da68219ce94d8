// SPDX-License-Identifier: BSD-3-Clause
#include "explain/decisions/support_lists.hpp"

#include <utility>

namespace gristmill::explain::decisions {

SupportLists::SupportLists(std::shared_ptr<const machine::SetMachine> of, std::shared_ptr<const GroupedFeatures> by)
    : machine(std::move(of)), features(std::move(by)) {
  const rows::Rows support = machine->support();
  for (std::size_t row = 0; row < support.size(); ++row) {
    for (const FeatureId id : support[row]) rows.push(features->find(id));
    rows.close();
  }
  postings = Lists<RowId>::grouped(features->map.size(), [&](auto visit) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (const Slot slot : rows[row]) visit(slot, static_cast<RowId>(row));
    }
  });
}

}  // namespace gristmill::explain::decisions
