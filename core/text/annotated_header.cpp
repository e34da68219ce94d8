// SPDX-License-Identifier: BSD-3-Clause
#include "text/annotated_header.hpp"

namespace gristmill::text {
namespace {

constexpr std::size_t most_entries = 64;

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Up to the line end, which stays.
std::string_view read_line(Cursor& cursor) {
  const char* start = cursor.mark();
  while (!cursor.at_line_end()) cursor.skip();
  return cursor.since(start);
}

AnnotatedHeader::Entry read_entry(Cursor& cursor) {
  const char* start = cursor.mark();
  const std::string_view line = read_line(cursor);
  const std::size_t mark = line.find('#');
  if (mark == std::string_view::npos) {
    cursor.fail_at(start, "expected a header line 'value # name', got " + quoted(line));
  }
  return {std::string(without_blanks(line.substr(0, mark))), std::string(without_blanks(line.substr(mark + 1))),
          cursor.line()};
}

}  // namespace

AnnotatedHeader parse_annotated_header(Cursor cursor) {
  std::string program(without_blanks(read_line(cursor)));
  std::vector<AnnotatedHeader::Entry> entries;
  do {
    cursor.next_line();
    if (cursor.at_end()) cursor.fail("the file ends before the line '# threshold b'");
    if (entries.size() == most_entries) cursor.fail("no line '# threshold b' in sight");
    entries.push_back(read_entry(cursor));
  } while (!entries.back().name.starts_with("threshold b"));
  cursor.next_line();
  return {std::move(program), std::move(entries), cursor};
}

}  // namespace gristmill::text
