// SPDX-License-Identifier: BSD-3-Clause
// Raw text: whatever is decided of its characters, what is written is CoNLL-U. Options: a pattern of decisions.
#include "fuzz.hpp"
#include "text_apps/parsing/conllu.hpp"
#include "text_apps/tagging/known_pairs.hpp"
#include "text_apps/tagging/raw_text.hpp"
#include "text_apps/tagging/token_text.hpp"
#include "text_apps/tagging/word_cases.hpp"

namespace gristmill::fuzz {

using namespace text_apps::tagging;

void read(std::string_view input) {
  const std::uint8_t options = take_options(input);
  const RawText text(input, 1);
  std::vector<std::int64_t> places;
  std::vector<std::int32_t> endings;
  for (std::size_t at = 0; at < text.size(); ++at) {
    places.push_back(static_cast<std::int64_t>(at));
    endings.push_back(static_cast<std::int32_t>((options >> (2 * (at % 4))) % 3U));
  }
  const WordCases cases;
  INSIST(text.columns(places, &cases, nullptr, endings).tokens() == places.size());
  INSIST(token_spans(text, endings).size() % 3 == 0);
  INSIST(KnownPairs::learn(text, endings, 1).endings(text).size() == text.size());
  const auto written = text_apps::parsing::Conllu::parse(token_conllu(text, endings, 1, true), 1);
  INSIST(3 * written.columns().tokens() == token_spans(text, endings).size());
}

}  // namespace gristmill::fuzz
