// SPDX-License-Identifier: BSD-3-Clause
// Tables as text: every column as numbers and as words, and places within the text. Options: the separator.
#include <array>

#include "fuzz.hpp"
#include "text/delimited.hpp"

namespace gristmill::fuzz {

void read(std::string_view input) {
  Silent observer;
  const std::array separators{text::likely_separator(input), ',', ';', '\t', '|', ' '};
  const char separator = separators[take_options(input) % separators.size()];
  const text::DelimitedText table(input, separator, {"", "?", "NA"}, observer);
  for (std::size_t column = 0; column < table.names().size(); ++column) {
    INSIST(table.numbers(column).size() <= table.rows());
    const text::DelimitedText::Words words = table.words(column);
    INSIST(words.codes.size() == table.rows());
    for (const std::int32_t code : words.codes) {
      INSIST(code >= -1 && code < static_cast<std::int32_t>(words.texts.size()));
    }
    if (table.rows() > 0) INSIST(table.place(table.rows() - 1, column).second <= input.size() + 1);
  }
}

}  // namespace gristmill::fuzz
