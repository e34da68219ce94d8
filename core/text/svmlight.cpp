// SPDX-License-Identifier: BSD-3-Clause
#include "text/svmlight.hpp"

#include "text/progress.hpp"
#include "text/writer.hpp"

namespace gristmill {
namespace {

void read_query(Cursor& cursor, SvmlightData& data) {
  cursor.skip_spaces();
  const bool has_query = cursor.take("qid:");
  const bool expected = data.labels.size() > 1 && !data.queries.empty();
  if (has_query != expected && data.labels.size() > 1) {
    cursor.fail(expected ? "this line has no qid, but earlier ones do"
                         : "this line has a qid, but earlier ones do not");
  }
  if (!has_query) return;
  data.queries.push_back(cursor.integer("a query id"));
  if (!cursor.at_line_end() && !cursor.at_space())
    cursor.fail("expected a space after the query id, got " + cursor.here());
}

void read_example(Cursor& cursor, SvmlightData& data) {
  data.labels.push_back(cursor.number("a label"));
  if (!cursor.at_line_end() && !cursor.at_space() && cursor.peek() != '#') {
    cursor.fail("expected a space after the label, got " + cursor.here());
  }
  read_query(cursor, data);
  data.rows.read_row(cursor);
}

}  // namespace

SvmlightData parse_svmlight(std::string_view text, IdBase base, Observer& observer) {
  SvmlightData data{{}, {}, FeatureLists(base)};
  Cursor cursor(text);
  cursor.take("\xEF\xBB\xBF");  // the byte order mark that some editors leave
  for (; !cursor.at_end(); cursor.next_line()) {
    report_line(cursor, text.size(), observer);
    cursor.skip_spaces();
    if (!cursor.at_line_end() && cursor.peek() != '#') read_example(cursor, data);
    cursor.skip_to_line_end();
  }
  data.rows.finish();
  return data;
}

std::string format_svmlight(std::span<const double> labels, std::span<const std::int64_t> queries, RealRows rows,
                            bool one_based) {
  TextWriter writer;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    writer.add(labels[row]);
    if (!queries.empty()) writer.add(" qid:").add(queries[row]);
    writer.add_features(rows, row, one_based).add("\n");
  }
  return writer.take();
}

}  // namespace gristmill
