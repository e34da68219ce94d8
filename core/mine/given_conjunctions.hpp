// SPDX-License-Identifier: BSD-3-Clause
// The heaviest of the conjunctions that a machine consists of; equal ones are one, and those without features none.
#pragma once
#include <vector>

#include "machine/conjunction_machine.hpp"
#include "mine/found_conjunctions.hpp"

namespace gristmill::mine {

// Of up to max_size features. Conjunctions that weigh exactly 0 are none. Heaviest first. Throws std::length_error
// where they are more than options.max_found. Cost: an index of the support rows, and a pass over it.
[[nodiscard]] std::vector<Conjunction> given_conjunctions(const machine::ConjunctionMachine& machine,
                                                          std::size_t max_size, const HeaviestOptions& options);

}  // namespace gristmill::mine
