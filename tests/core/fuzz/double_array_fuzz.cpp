// SPDX-License-Identifier: BSD-3-Clause
// Double arrays: keys come in the order of their bytes, and an array built of them has the same.
#include <algorithm>
#include <vector>

#include "fuzz.hpp"
#include "text/double_array.hpp"

namespace gristmill::fuzz {
namespace {

struct Keys {
  std::vector<std::string> texts;
  std::vector<std::uint32_t> values;
  bool operator==(const Keys&) const = default;
};

Keys keys_of(std::string_view units) {
  constexpr std::size_t longest = 64;
  Keys keys;
  text::for_each_key({units, 0}, longest, [&](std::string_view key, std::uint32_t value) {
    keys.texts.emplace_back(key);
    keys.values.push_back(value);
  });
  return keys;
}

}  // namespace

void read(std::string_view input) {
  const Keys keys = keys_of(input.substr(0, input.size() / 8 * 8));
  INSIST(std::ranges::is_sorted(keys.texts));  // std::string compares bytes without signs
  INSIST(std::ranges::adjacent_find(keys.texts) == keys.texts.end());
  if (keys.texts.empty() || keys.texts.front().empty()) return;
  INSIST(keys_of(text::build_double_array(keys.texts, keys.values)) == keys);
}

}  // namespace gristmill::fuzz
