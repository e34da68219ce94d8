// SPDX-License-Identifier: BSD-3-Clause
// Double-array tries as Darts keeps them (Aoe 1989; T. Kudo's Darts): a map from byte strings to numbers, read and
// built.
//
// A unit is a base (signed) and a check (unsigned), 32 bits each; unit 0 is the root. A node with base b has its child
// for byte c in unit b + c + 1, if that unit's check is b. A key ends in unit b itself, whose base is -value - 1.
//
// Reading: linear in the units, plus the bytes of the keys. Building: linear in the nodes but for the search for gaps.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "text/byte_cursor.hpp"

namespace gristmill::text {

using KeyVisitor = std::function<void(std::string_view key, std::uint32_t value)>;

// Visits the keys in the order of their bytes, each with its value (below 2^31). `words` are bases and checks in turn.
// Throws ByteError for a key longer than `longest` and where two nodes share their children, which makes cycles.
void for_each_key(const Packed<std::uint32_t>& words, std::size_t longest, const KeyVisitor& visit);

// The array of these keys: distinct, in the order of their unsigned bytes, values below 2^31. Ends with so many unused
// units that a reader that does not look for the end stays within. Throws std::invalid_argument for other keys.
[[nodiscard]] std::string build_double_array(std::span<const std::string> keys, std::span<const std::uint32_t> values);

}  // namespace gristmill::text
