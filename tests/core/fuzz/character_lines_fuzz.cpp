// SPDX-License-Identifier: BSD-3-Clause
// Lines of characters: segmented text, joined, is the text again; what is written is CoNLL-U. Options: whether the text
// is segmented, a pattern of boundaries.
#include "fuzz.hpp"
#include "text_apps/parsing/conllu.hpp"
#include "text_apps/tagging/character_lines.hpp"
#include "text_apps/tagging/dictionary.hpp"
#include "text_apps/tagging/word_text.hpp"

namespace gristmill::fuzz {

using namespace text_apps::tagging;

void read(std::string_view input) {
  Silent observer;
  const std::uint8_t options = take_options(input);
  const bool segmented = options % 2 == 1;
  const CharacterLines lines(input, segmented, 1);
  std::vector<std::int32_t> classes;
  for (std::size_t at = 0; at < lines.characters(); ++at) classes.push_back(options >> (1 + at % 7) & 1U);
  Dictionary words(4);
  words.learn(lines);
  INSIST(lines.columns(&words, true, 1, observer).tokens() == lines.characters());
  const auto written = text_apps::parsing::Conllu::parse(conllu_text(lines, classes), 1);
  INSIST(2 * written.columns().tokens() == word_spans(lines, classes).size());
  if (segmented) {
    INSIST(joined_text(lines).size() <= input.size());
  } else {
    const CharacterLines again(segmented_text(lines, classes), true, 1);
    INSIST(joined_text(again) == input);
  }
}

}  // namespace gristmill::fuzz
