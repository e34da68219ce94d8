// SPDX-License-Identifier: BSD-3-Clause
// LIBSVM models: their support vectors, written, read the same.
#include "fuzz.hpp"
#include "text/libsvm_model.hpp"

namespace gristmill::fuzz {

void read(std::string_view input) {
  Silent observer;
  const text::LibsvmModel model = text::parse_libsvm_model(input, observer);
  const text::FeatureLists& rows = model.support.rows;
  const std::string written =
      text::format_coef_rows(model.support.coefs, {{rows.offsets, rows.ids}, rows.values}, !rows.zero_based());
  const text::CoefRows again = text::read_coef_rows(text::Cursor(written), model.support.per_row, observer);
  INSIST(again.coefs == model.support.coefs && again.rows.offsets == rows.offsets);
}

}  // namespace gristmill::fuzz
