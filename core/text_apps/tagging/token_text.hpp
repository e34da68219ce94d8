// SPDX-License-Identifier: BSD-3-Clause
// The tokens and sentences of raw text, once it is decided where they end.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "text_apps/tagging/raw_text.hpp"

namespace gristmill::text_apps::tagging {

// CoNLL-U with forms alone: SpaceAfter=No, and as comments paragraphs, numbers of sentences from `number` on and their
// text. A token of white space and other characters has single spaces.
[[nodiscard]] std::string token_conllu(const RawText& text, std::span<const std::int32_t> endings, std::size_t number,
                                       bool begins_paragraph);

// Of each token where it begins and ends in the text that was given, in characters, and 1 if it ends a sentence.
[[nodiscard]] std::vector<std::int64_t> token_spans(const RawText& text, std::span<const std::int32_t> endings);

}  // namespace gristmill::text_apps::tagging
