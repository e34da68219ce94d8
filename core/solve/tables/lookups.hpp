// SPDX-License-Identifier: BSD-3-Clause
// Rows against tables: a row's scores are the sum of one entry of each term's table, and the gradient of a table is the
// sum of what the loss says of the rows in each entry. Cost: an addition for each row, term and output.
#pragma once
#include <cstddef>

#include "solve/tables/cells.hpp"
#include "solve/tables/codes.hpp"

namespace gristmill::solve::tables {

// The rows [begin, end): out, rows x outputs from row `begin` on, gets the entries of the table added.
void add_entries(const Codes& codes, const Lookup& lookup, const double* table, std::size_t begin, std::size_t end,
                 double* out);

// The table gets the values of the rows [begin, end) added, in the order of rows. `values` are rows x outputs, of all
// rows; `lanes` is scratch of lanes_size(lookup) numbers.
[[nodiscard]] std::size_t lanes_size(const Lookup& lookup) noexcept;
void add_values(const Codes& codes, const Lookup& lookup, const double* values, std::size_t begin, std::size_t end,
                double* lanes, double* table);

}  // namespace gristmill::solve::tables
