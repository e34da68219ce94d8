// SPDX-License-Identifier: BSD-3-Clause
// Tokens in columns: with a column more, the text reads the same and has that column. Options: columns, tabs, replace.
#include "fuzz.hpp"
#include "text/columns.hpp"

namespace gristmill::fuzz {

void read(std::string_view input) {
  const std::uint8_t options = take_options(input);
  const bool tabs = (options & 4U) != 0;
  const bool replace = (options & 8U) != 0;
  INSIST(text::complete_sentences(input, tabs) <= input.size());
  const text::Columns columns = text::Columns::parse(input, {1, options % 4U, tabs});
  const std::string word[] = {"word"};
  const std::vector<std::int32_t> numbers(columns.tokens());
  const std::string written = columns.with_column(numbers, word, replace);
  if (columns.tokens() == 0) return;
  const std::size_t width = columns.columns() + (replace ? 0 : 1);
  const text::Columns again = text::Columns::parse(written, {1, width, tabs});
  INSIST(again.tokens() == columns.tokens());
  for (std::size_t token = 0; token < columns.tokens(); ++token) {
    INSIST(again.cell(token, width - 1) == "word");
    if (width > 1) INSIST(again.cell(token, 0) == columns.cell(token, 0));
  }
}

}  // namespace gristmill::fuzz
