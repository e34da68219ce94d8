// SPDX-License-Identifier: BSD-3-Clause
// The models of SVMlight and its relatives. Options: coefficients of a support vector.
#include "fuzz.hpp"
#include "text/annotated_header.hpp"
#include "text/coef_rows.hpp"

namespace gristmill::fuzz {

void read(std::string_view input) {
  Silent observer;
  const std::size_t per_row = 1 + take_options(input) % 4;
  const text::AnnotatedHeader header = text::parse_annotated_header(text::Cursor(input));
  INSIST(!header.entries.empty());
  const text::CoefRows rows = text::read_coef_rows(header.rest, per_row, observer);
  INSIST(rows.coefs.size() == (rows.rows.offsets.size() - 1) * per_row);
}

}  // namespace gristmill::fuzz
