// SPDX-License-Identifier: BSD-3-Clause
// A part of a machine: some of its support rows with their coefficients.
#pragma once
#include <span>

#include "machine/machine.hpp"

namespace gristmill::machine {

[[nodiscard]] SetMachine some_rows(const SetMachine& machine, std::span<const RowId> rows,
                                   std::vector<double> intercept);

}  // namespace gristmill::machine
