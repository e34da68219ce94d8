// SPDX-License-Identifier: BSD-3-Clause
#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "rows/conjunctions.hpp"
#include "rows/row_numbers.hpp"

namespace gristmill::bindings::bind_rows {

using namespace nb::literals;
using namespace rows;

void add_to(nb::module_& m) {
  m.def(
      "rows_are_sorted",
      [](const Array<Offset>& offsets, const Array<FeatureId>& ids) { return are_sorted(rows_of(offsets, ids)); },
      "offsets"_a.noconvert(), "ids"_a.noconvert(), "True when the ids of every row ascend strictly from 0 or more.");
  m.def(
      "number_rows",
      [](const Array<Offset>& offsets, const Array<FeatureId>& ids) {
        return to_numpy(number_rows(rows_of(offsets, ids)));
      },
      "offsets"_a.noconvert(), "ids"_a.noconvert(), "Rows numbered by what they hold; equal rows have one number.");
  m.def(
      "count_conjunctions",
      [](const Array<Offset>& offsets, const Array<FeatureId>& ids, unsigned size, nb::object progress) {
        return watched(std::move(progress),
                       [&](Observer& observer) { return count_conjunctions(rows_of(offsets, ids), size, observer); });
      },
      "offsets"_a.noconvert(), "ids"_a.noconvert(), "size"_a, progress_arg(),
      "Distinct sets of exactly `size` features that occur together in some row.");
}

}  // namespace gristmill::bindings::bind_rows
