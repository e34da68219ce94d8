// SPDX-License-Identifier: BSD-3-Clause
// The integers of the library. Feature ids are 32-bit because scipy's are; offsets are 64-bit because data sets are
// not.
#pragma once
#include <cstdint>

namespace gristmill::inline base {

using FeatureId = std::int32_t;  // a column of the user's data
using RowId = std::uint32_t;     // a support row or example
using Offset = std::int64_t;     // a position in an array of entries

}  // namespace gristmill::inline base
