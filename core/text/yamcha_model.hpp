// SPDX-License-Identifier: BSD-3-Clause
// YamCha's compiled models: format 0.4 (YamCha 0.30 to 0.33), solvers PKI and PKE, and the format before it.
//
// A file is a header of counts, a block of parameters, class names, the binary classifiers, a double array of feature
// strings, and then
//   PKI: for each feature the support vectors that hold it, and for each classifier its support vectors and weights;
//   PKE: a double array of conjunctions (ids of up to three features), and vectors of weights per classifier.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"

namespace gristmill::text {

struct YamchaModel {
  enum class Solver { text = 0, pki = 1, pke = 2 };  // text: a model that is not compiled yet

  // A classifier: a score of at least 0 is a vote for the positive class; the threshold is subtracted.
  struct Classifier {
    std::uint32_t positive;
    std::uint32_t negative;
    double threshold;
  };

  std::string version;
  Solver solver = Solver::pki;
  bool one_vs_rest = false;
  std::uint32_t degree = 0;
  double g = 0;  // unused by YamCha
  double r = 0;  // by the names under which the program reads them: its kernel is (s m + r)^degree
  double s = 0;
  std::string parameters;  // key NUL value NUL ..., padded with NULs
  std::vector<std::string> classes;
  std::vector<Classifier> classifiers;
  std::vector<std::string> features;  // in the order of their bytes

  // Rows of features: the support vectors of PKI, the conjunctions of PKE.
  std::vector<Offset> offsets{0};
  std::vector<FeatureId> ids;

  // Weights: the row, the classifier and the number of each. Those of one place are to be added.
  std::vector<std::int32_t> weight_rows;
  std::vector<std::int32_t> weight_classifiers;
  std::vector<double> weights;
};

// Throws ByteError. Memory stays within a fixed multiple of the size of the file, whatever its numbers say.
[[nodiscard]] YamchaModel parse_yamcha_model(std::string_view bytes);

}  // namespace gristmill::text
