// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.hpp"
#include "checks.hpp"
#include "text/libsvm_model.hpp"
#include "text/svmlight.hpp"

namespace gristmill {
namespace {

// From a buffer that ends where the text ends, so that the address sanitizer sees a read beyond it.
template <class Parse>
void parse_exactly(std::string_view text, Parse parse) {
  const std::vector<char> buffer(text.begin(), text.end());
  (void)parse(std::string_view(buffer.data(), buffer.size()));
}

const auto svmlight = [](std::string_view text) {
  Silent observer;
  return text::parse_svmlight(text, text::IdBase::automatic, text::LabelKind::numbers, observer);
};
const auto libsvm = [](std::string_view text) {
  Silent observer;
  return text::parse_libsvm_model(text, observer);
};

// True when the text is refused at this place.
template <class Parse>
bool refused_at(std::string_view text, Parse parse, std::size_t line, std::size_t column) {
  try {
    parse_exactly(text, parse);
  } catch (const ParseError& error) {
    return error.line() == line && error.column() == column && std::string_view(error.what()).size() > 10;
  }
  return false;
}

// Every beginning of a text is read or refused, never more.
template <class Parse>
bool beginnings_are_read_or_refused(std::string_view text, Parse parse) {
  for (std::size_t size = 0; size <= text.size(); ++size) {
    try {
      parse_exactly(text.substr(0, size), parse);
    } catch (const ParseError&) {
    }
  }
  return true;
}

void malformed_svmlight_is_refused_with_its_place() {
  CHECK(refused_at("x", svmlight, 1, 1));
  CHECK(refused_at("1 2", svmlight, 1, 4));
  CHECK(refused_at("1 2:", svmlight, 1, 5));
  CHECK(refused_at("1 2:1\n1 3:x", svmlight, 2, 5));
  CHECK(refused_at("1 2:1 2:1", svmlight, 1, 7));
  CHECK(refused_at("1 -2:1", svmlight, 1, 3));
  CHECK(refused_at("1 2147483648:1", svmlight, 1, 3));
  CHECK(refused_at("1 2147483647:1\n1 0:1", svmlight, 1, 3));
  CHECK(refused_at("1 99999999999999999999:1", svmlight, 1, 3));
  CHECK(refused_at("nan 1:1", svmlight, 1, 1));
  CHECK(refused_at("1 1:1e999", svmlight, 1, 5));
  CHECK(refused_at("1 qid:x 1:1", svmlight, 1, 7));
  CHECK(refused_at("+-1 1:1", svmlight, 1, 1));
  CHECK(refused_at("+", svmlight, 1, 1));
  CHECK(refused_at(std::string_view("1 1:1\0", 6), svmlight, 1, 6));
}

void sound_svmlight_is_read() {
  const text::SvmlightData data = svmlight("# a comment\r\n+1 qid:3 7:1 2:0.5 # more\r\n\n-1e-400 qid:4\n0 qid:4 9:1");
  CHECK(data.labels.size() == 3 && data.queries == (std::vector<std::int64_t>{3, 4, 4}));
  CHECK(data.rows.ids == (std::vector<FeatureId>{1, 6, 8}) && data.rows.values == (std::vector<double>{0.5, 1, 1}));
  CHECK(beginnings_are_read_or_refused("+1 qid:3 7:1 2:0.5e-3 # more\r\n-1 qid:4 1:1\n", svmlight));
}

constexpr std::string_view model =
    "svm_type c_svc\nkernel_type polynomial\ndegree 2\ngamma 0.5\ncoef0 1\nnr_class 2\ntotal_sv 2\nrho -0.25\n"
    "label 1 -1\nnr_sv 1 1\nSV\n0.5 1:1 3:1\n-0.5 2:1\n";

std::string changed(std::string_view from, std::string_view to) {
  std::string text(model);
  return text.replace(text.find(from), from.size(), to);
}

void malformed_models_are_refused_with_their_place() {
  CHECK(refused_at("", libsvm, 1, 1));
  CHECK(refused_at("SV\n", libsvm, 1, 3));
  CHECK(refused_at(changed("degree 2", "degree"), libsvm, 3, 7));
  CHECK(refused_at(changed("degree 2", "degree 2 2"), libsvm, 3, 10));
  CHECK(refused_at(changed("coef0 1", "gamma 1"), libsvm, 5, 1));
  CHECK(refused_at(changed("coef0 1", "warp 1"), libsvm, 5, 1));
  CHECK(refused_at(changed("nr_class 2", "nr_class 1e300"), libsvm, 11, 3));
  CHECK(refused_at(changed("nr_class 2", "nr_class 1.5"), libsvm, 11, 3));
  CHECK(refused_at(changed("total_sv 2", "total_sv -1"), libsvm, 11, 3));
  CHECK(refused_at(changed("total_sv 2", "total_sv 999999999999"), libsvm, 11, 3));
  CHECK(refused_at(changed("-0.5 2:1\n", ""), libsvm, 13, 1));
  CHECK(refused_at(changed("-0.5 2:1\n", "-0.5 2:1\n1 3:1\n"), libsvm, 14, 1));
  CHECK(refused_at(changed("rho -0.25", "rho"), libsvm, 11, 3));
  CHECK(refused_at(changed("label 1 -1", "label 1"), libsvm, 11, 3));
  CHECK(refused_at(changed("-0.5 2:1", "-0.5x 2:1"), libsvm, 13, 5));
}

void sound_models_are_read() {
  const text::LibsvmModel read = libsvm(model);
  CHECK(read.support.coefs == (std::vector<double>{0.5, -0.5}));
  CHECK(read.support.rows.ids == (std::vector<FeatureId>{0, 2, 1}));
  CHECK(beginnings_are_read_or_refused(model, libsvm));
}

}  // namespace

const TestFile models_tests([] {
  malformed_svmlight_is_refused_with_its_place();
  sound_svmlight_is_read();
  malformed_models_are_refused_with_their_place();
  sound_models_are_read();
});

}  // namespace gristmill
