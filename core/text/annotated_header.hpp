// SPDX-License-Identifier: BSD-3-Clause
// The head of the models of SVMlight and its relatives (TinySVM, opal, SVM-light-TK): a line that names the program,
// then lines `value # name`, the last of them the threshold. The support vectors follow (CoefRows).
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "text/cursor.hpp"

namespace gristmill::text {

struct AnnotatedHeader {
  struct Entry {
    std::string value;
    std::string name;
    std::size_t line;
  };

  std::string program;         // the first line
  std::vector<Entry> entries;  // the threshold last
  Cursor rest;                 // where the support vectors start
};

// Throws ParseError; the text must outlive the result.
[[nodiscard]] AnnotatedHeader parse_annotated_header(Cursor cursor);

}  // namespace gristmill::text
