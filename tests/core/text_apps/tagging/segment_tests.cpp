// SPDX-License-Identifier: BSD-3-Clause
// Lines as characters: memory at the edges of text, and threads that share a book of words.
#include <string>
#include <string_view>

#include "base/errors.hpp"
#include "checks.hpp"
#include "text_apps/tagging/character_lines.hpp"
#include "text_apps/tagging/dictionary.hpp"
#include "text_apps/tagging/word_text.hpp"

namespace gristmill {
namespace {

std::vector<std::int32_t> all_of(const text_apps::tagging::CharacterLines& lines, std::int32_t answer) {
  return std::vector<std::int32_t>(lines.characters(), answer);
}

void text_of_any_shape_is_had_again() {
  for (const std::string_view text :
       {"", "\n", " ", "a", "ab", " a  b \n\nc\r\n", "\xE6\xB5\xB7\xE3\x82\x92", "\xE3\x80\x80\n\xE6\xB5\xB7",
        "\xF0\x9F\x8C\x8A"
        "a"}) {
    const text_apps::tagging::CharacterLines lines(text, false, 1);
    for (const std::int32_t answer : {0, 1}) {
      const std::string words = text_apps::tagging::segmented_text(lines, all_of(lines, answer));
      CHECK(text_apps::tagging::joined_text(text_apps::tagging::CharacterLines(words, true, 1)) == text);
    }
  }
}

void words_leave_in_all_forms() {
  const text_apps::tagging::CharacterLines lines("ab c\n\nd", false, 1);
  CHECK(text_apps::tagging::segmented_text(lines, all_of(lines, 1)) == "a b  c\n\nd");
  CHECK((text_apps::tagging::word_spans(lines, all_of(lines, 0)) == std::vector<std::int64_t>{0, 2, 3, 4, 6, 7}));
  const std::string empty = "\t_\t_\t_\t_\t_\t_\t_\t";
  CHECK(text_apps::tagging::conllu_text(lines, all_of(lines, 0)) ==
        "# text = ab c\n1\tab" + empty + "_\n2\tc" + empty + "_\n\n# text = d\n1\td" + empty + "_\n\n");
  CHECK(throws<std::invalid_argument>([&] { (void)text_apps::tagging::segmented_text(lines, {}); }));
}

bool fails_at(std::string_view text, std::size_t line, std::size_t column) {
  try {
    const text_apps::tagging::CharacterLines lines(text, false, 7);
  } catch (const ParseError& error) {
    return error.line() == line && error.column() == column;
  }
  return false;
}

void text_that_is_not_utf8_is_refused() {
  CHECK(fails_at("\xFF", 7, 1));
  CHECK(fails_at("ok\nab\xE6\xB5", 8, 3));
  CHECK(fails_at("\n\n\x80\n", 9, 1));
}

void threads_share_a_book() {
  text_apps::tagging::Dictionary book(12);
  for (const std::string_view word : {"a", "ab", "abc", "cab"}) book.add(word);
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "abcab\nb\n\n";
  const text_apps::tagging::CharacterLines lines(text, false, 1);
  Silent silent;
  const text::Columns one = lines.columns(&book, false, 1, silent);
  const text::Columns four = lines.columns(&book, false, 4, silent);
  CHECK(one.size() == 3000);
  CHECK(one.cell(0, 1) == "L1,R0,I3");
  CHECK(one.cell(2, 1) == "L3,R2,I3");
  bool same = one.tokens() == four.tokens();
  for (std::size_t token = 0; same && token < one.tokens(); ++token) same = one.cell(token, 1) == four.cell(token, 1);
  CHECK(same);
}

void a_line_does_not_see_its_own_words() {
  const text_apps::tagging::CharacterLines lines("ab c\nab c\nc d", true, 1);
  text_apps::tagging::Dictionary book(12);
  book.learn(lines);
  text_apps::tagging::Dictionary::Scratch scratch;
  CHECK(text_apps::tagging::spelled(book.facts(lines, 0, true, scratch)[1]) ==
        "L0,R1,I0");  // c is in the last line, too
  CHECK(text_apps::tagging::spelled(book.facts(lines, 1, false, scratch)[1]) == "L2,R1,I0");
}

}  // namespace

const TestFile segment_tests([] {
  text_of_any_shape_is_had_again();
  words_leave_in_all_forms();
  text_that_is_not_utf8_is_refused();
  threads_share_a_book();
  a_line_does_not_see_its_own_words();
});

}  // namespace gristmill
