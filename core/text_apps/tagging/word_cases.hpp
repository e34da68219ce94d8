// SPDX-License-Identifier: BSD-3-Clause
// How words are written within sentences: in lower case, with a capital, or both. A word with a capital that is known
// in lower case alone is likely the first one of a sentence.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/sequence_table.hpp"

namespace gristmill::text_apps::tagging {

class WordCases {
 public:
  // A word as it is written within a sentence; once more for each time that counts.
  void add(std::string_view word);

  // Of the letters that a text begins with: empty if they do not begin with a capital; else l where they are known in
  // lower case, c where with a capital, lc, or - where in neither. own: how often they are known from this place.
  [[nodiscard]] std::string_view facts(std::string_view text, std::uint32_t own) const;

 private:
  SequenceTable<char> words_;                  // in lower case
  std::vector<std::uint8_t> lower_, capital_;  // how often, up to 2
};

}  // namespace gristmill::text_apps::tagging
