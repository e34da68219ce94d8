// SPDX-License-Identifier: BSD-3-Clause
// Words of text whose boundaries are decided, in the forms they leave in. `classes`: of each character, 1 if a word
// ends behind it; white space ends words whatever they say.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "text_apps/tagging/character_lines.hpp"

namespace gristmill::text_apps::tagging {

// Segmented text: one space more between words, all white space kept.
[[nodiscard]] std::string segmented_text(const CharacterLines& lines, std::span<const std::int32_t> classes);

// Segmented text without the spaces that were added.
[[nodiscard]] std::string joined_text(const CharacterLines& lines);

// CoNLL-U: a sentence for each line that has words, with its text; white space as SpaceAfter=No and SpacesAfter=\t.
[[nodiscard]] std::string conllu_text(const CharacterLines& lines, std::span<const std::int32_t> classes);

// Where words begin and end, in characters of the whole text, white space and line ends counted.
[[nodiscard]] std::vector<std::int64_t> word_spans(const CharacterLines& lines, std::span<const std::int32_t> classes);

}  // namespace gristmill::text_apps::tagging
