// SPDX-License-Identifier: BSD-3-Clause
// LIBSVM model files: a header of `key value...` lines, then `SV` and one support vector a line,
// `coef ... id:value id:value ...` with one coefficient per rival class. The parser checks the form and the counts;
// formats/libsvm.py gives it meaning.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/observer.hpp"
#include "text/coef_rows.hpp"

namespace gristmill::text {

struct LibsvmModel {
  std::string svm_type;
  std::string kernel_type;
  std::map<std::string, double> scalars;               // degree gamma coef0 nr_class total_sv
  std::map<std::string, std::vector<double>> vectors;  // rho label probA probB prob_density_marks nr_sv
  CoefRows support{1};
};

// Throws ParseError. Nothing is allocated by a number of the header before the lines it counts have been read.
[[nodiscard]] LibsvmModel parse_libsvm_model(std::string_view text, Observer& observer);

}  // namespace gristmill::text
