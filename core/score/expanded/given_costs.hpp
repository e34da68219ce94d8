// SPDX-License-Identifier: BSD-3-Clause
// What a row is expected to cost where conjunctions are given.
#pragma once
#include "machine/conjunction_machine.hpp"
#include "rows/conjunction_index.hpp"
#include "score/expanded/costs.hpp"

namespace gristmill::score::expanded {

// sample: rows to expect. Empty: rows of 16 features are, each feature as likely as there are conjunctions with it.
[[nodiscard]] Costs costs_of_given(const machine::ConjunctionMachine& machine, const rows::ConjunctionIndex& index,
                                   rows::Rows sample);

}  // namespace gristmill::score::expanded
