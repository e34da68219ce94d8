// SPDX-License-Identifier: BSD-3-Clause
#include "text/coef_rows.hpp"

#include "text/progress.hpp"
#include "text/writer.hpp"

namespace gristmill::text {

void read_coef_row(Cursor& cursor, CoefRows& into) {
  for (std::size_t i = 0; i < into.per_row; ++i) {
    cursor.skip_spaces();
    into.coefs.push_back(cursor.number("a coefficient of a support vector"));
    if (!cursor.at_line_end() && !cursor.at_space()) cursor.fail("expected a coefficient, got " + cursor.here());
  }
  into.rows.read_row(cursor);
}

CoefRows read_coef_rows(Cursor cursor, std::size_t per_row, Observer& observer) {
  const std::size_t total = cursor.left();
  CoefRows found(per_row);
  for (; !cursor.at_end(); cursor.next_line()) {
    report_line(cursor, total, observer);
    cursor.skip_spaces();
    if (!cursor.at_line_end() && cursor.peek() != '#') read_coef_row(cursor, found);
    cursor.skip_to_line_end();
  }
  found.rows.finish();
  return found;
}

std::string format_coef_rows(std::span<const double> coefs, rows::RealRows rows, bool one_based) {
  TextWriter writer;
  const std::size_t size = rows.rows.size();
  const std::size_t per_row = size == 0 ? 0 : coefs.size() / size;
  for (std::size_t row = 0; row < size; ++row) {
    for (std::size_t i = 0; i < per_row; ++i) {
      if (i > 0) writer.add(" ");
      writer.add(coefs[row * per_row + i]);
    }
    writer.add_features(rows, row, one_based).add("\n");
  }
  return writer.take();
}

}  // namespace gristmill::text
