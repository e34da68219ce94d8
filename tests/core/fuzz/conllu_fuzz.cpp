// SPDX-License-Identifier: BSD-3-Clause
// CoNLL-U: a text that is filled in with its own trees has the same trees.
#include "base/errors.hpp"
#include "fuzz.hpp"
#include "text_apps/parsing/conllu.hpp"

namespace gristmill::fuzz {

using text_apps::parsing::Conllu;

void read(std::string_view input) {
  const Conllu text = Conllu::parse(input, 1);
  const std::size_t tokens = text.columns().tokens();
  INSIST(text.relations().size() == tokens);
  INSIST(text.filled({}) == input);
  const std::vector<text_apps::parsing::Word> heads = text.heads();
  INSIST(heads.size() == tokens);
  const std::vector<std::string> words{"relation"};
  const std::vector<std::int32_t> numbers(tokens);
  Conllu::Filled filled;
  filled.heads = heads;
  filled.relations = {numbers, words};
  filled.lemma = filled.relations;
  const Conllu again = Conllu::parse(text.filled(filled), 1);
  INSIST(again.heads() == heads);
}

}  // namespace gristmill::fuzz
