// SPDX-License-Identifier: BSD-3-Clause
#include "text/libsvm_model.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>

#include "text/progress.hpp"

namespace gristmill::text {
namespace {

constexpr std::array scalar_keys{"degree", "gamma", "coef0", "nr_class", "total_sv"};
constexpr std::array vector_keys{"rho", "label", "probA", "probB", "prob_density_marks", "nr_sv"};
constexpr double most_classes = 1 << 24;  // pairs of classes stay far below 2^53

bool contains(const auto& keys, std::string_view key) { return std::ranges::find(keys, key) != keys.end(); }

void end_line(Cursor& cursor) {
  cursor.skip_spaces();
  if (!cursor.at_line_end()) cursor.fail("expected the end of the line, got " + cursor.here());
}

std::string read_name(Cursor& cursor, std::initializer_list<std::string_view> known, const std::string& what) {
  cursor.skip_spaces();
  const char* start = cursor.mark();
  const std::string_view word = cursor.word();
  if (!contains(known, word)) cursor.fail_at(start, quoted(word) + " is no " + what + " of LIBSVM");
  return std::string(word);
}

std::vector<double> read_numbers(Cursor& cursor, const std::string& what) {
  std::vector<double> numbers;
  for (cursor.skip_spaces(); !cursor.at_line_end(); cursor.skip_spaces()) {
    numbers.push_back(cursor.number(what));
    if (!cursor.at_line_end() && !cursor.at_space())
      cursor.fail("expected a space after " + what + ", got " + cursor.here());
  }
  return numbers;
}

void read_header_line(Cursor& cursor, const std::string& key, const char* start, LibsvmModel& model) {
  bool first = true;
  if (key == "svm_type") {
    first = model.svm_type.empty();
    model.svm_type = read_name(cursor, {"c_svc", "nu_svc", "one_class", "epsilon_svr", "nu_svr"}, "svm_type");
  } else if (key == "kernel_type") {
    first = model.kernel_type.empty();
    model.kernel_type = read_name(cursor, {"linear", "polynomial", "rbf", "sigmoid", "precomputed"}, "kernel_type");
  } else if (contains(scalar_keys, key)) {
    cursor.skip_spaces();
    first = model.scalars.emplace(key, cursor.number("the value of '" + key + "'")).second;
  } else if (contains(vector_keys, key)) {
    first = model.vectors.emplace(key, read_numbers(cursor, "a number of '" + key + "'")).second;
  } else {
    cursor.fail_at(start, "unknown header " + quoted(key) + " in a libsvm model");
  }
  if (!first) cursor.fail_at(start, "'" + key + "' stands twice in the header");
  end_line(cursor);
}

// Up to and including the line `SV`.
void read_header(Cursor& cursor, LibsvmModel& model) {
  for (;; cursor.next_line()) {
    if (cursor.at_end()) cursor.fail("the file ends before the line 'SV'");
    cursor.skip_spaces();
    if (cursor.at_line_end()) continue;
    const char* start = cursor.mark();
    const std::string key(cursor.word());
    if (key == "SV") break;
    read_header_line(cursor, key, start, model);
  }
  end_line(cursor);
}

double required(const Cursor& cursor, const LibsvmModel& model, const std::string& key) {
  const auto found = model.scalars.find(key);
  if (found == model.scalars.end()) cursor.fail("the header has no '" + key + "'");
  return found->second;
}

bool is_whole(double value, double low, double high) {
  return value >= low && value <= high && value == static_cast<double>(static_cast<std::int64_t>(value));
}

double required_whole(const Cursor& cursor, const LibsvmModel& model, const std::string& key, double low, double high) {
  const double value = required(cursor, model, key);
  if (!is_whole(value, low, high)) cursor.fail("'" + key + "' is not a sensible whole number");
  return value;
}

void check_size(const Cursor& cursor, const LibsvmModel& model, const std::string& key, std::size_t wanted) {
  const auto found = model.vectors.find(key);
  if (found != model.vectors.end() && found->second.size() != wanted) {
    cursor.fail("'" + key + "' has " + std::to_string(found->second.size()) + " numbers, expected " +
                std::to_string(wanted));
  }
}

const std::vector<double>& required_vector(const Cursor& cursor, const LibsvmModel& model, const std::string& key,
                                           std::size_t size) {
  if (!model.vectors.contains(key)) cursor.fail("the header has no '" + key + "'");
  check_size(cursor, model, key, size);
  return model.vectors.at(key);
}

void check_kernel(const Cursor& cursor, const LibsvmModel& model) {
  if (model.kernel_type.empty()) cursor.fail("the header has no 'kernel_type'");
  const bool polynomial = model.kernel_type == "polynomial";
  const bool sigmoid = model.kernel_type == "sigmoid";
  if (polynomial) required_whole(cursor, model, "degree", 0, 1000);
  if (polynomial || sigmoid || model.kernel_type == "rbf") required(cursor, model, "gamma");
  if (polynomial || sigmoid) required(cursor, model, "coef0");
}

void check_classes(const Cursor& cursor, const LibsvmModel& model, std::size_t classes, double total) {
  constexpr double smallest_label = std::numeric_limits<std::int32_t>::min();
  constexpr double largest_label = std::numeric_limits<std::int32_t>::max();
  for (const double label : required_vector(cursor, model, "label", classes)) {
    if (!is_whole(label, smallest_label, largest_label)) cursor.fail("'label' must hold whole numbers of 32 bits");
  }
  double sum = 0;
  bool whole = true;
  for (const double count : required_vector(cursor, model, "nr_sv", classes)) {
    whole &= is_whole(count, 0, total);
    sum += count;
  }
  if (!whole || sum != total) {
    cursor.fail("'nr_sv' must hold counts that add up to the " + std::to_string(static_cast<std::int64_t>(total)) +
                " of 'total_sv'");
  }
}

void check_header(const Cursor& cursor, LibsvmModel& model) {
  if (model.svm_type.empty()) cursor.fail("the header has no 'svm_type'");
  check_kernel(cursor, model);
  const double total = required_whole(cursor, model, "total_sv", 0, 1e15);
  const auto classes = static_cast<std::size_t>(required_whole(cursor, model, "nr_class", 1, most_classes));
  const bool classifier = model.svm_type == "c_svc" || model.svm_type == "nu_svc";
  const std::size_t outputs = classifier ? classes * (classes - 1) / 2 : 1;
  required_vector(cursor, model, "rho", outputs);
  check_size(cursor, model, "probA", outputs);
  check_size(cursor, model, "probB", outputs);
  if (classifier) check_classes(cursor, model, classes, total);
  model.support.per_row = classifier ? classes - 1 : 1;
}

void read_vectors(Cursor& cursor, LibsvmModel& model, std::size_t total, Observer& observer) {
  const auto wanted = static_cast<std::size_t>(model.scalars.at("total_sv"));
  std::size_t found = 0;
  for (; !cursor.at_end(); cursor.next_line()) {
    report_line(cursor, total, observer);
    cursor.skip_spaces();
    if (cursor.at_line_end()) continue;
    if (found++ == wanted) cursor.fail("more support vectors than the " + std::to_string(wanted) + " of 'total_sv'");
    read_coef_row(cursor, model.support);
    end_line(cursor);
  }
  if (found < wanted) {
    cursor.fail("the file ends after " + std::to_string(found) + " of " + std::to_string(wanted) +
                " support vectors; is it truncated?");
  }
}

}  // namespace

LibsvmModel parse_libsvm_model(std::string_view text, Observer& observer) {
  LibsvmModel model;
  Cursor cursor(text);
  read_header(cursor, model);
  check_header(cursor, model);
  cursor.next_line();
  read_vectors(cursor, model, text.size(), observer);
  model.support.rows.finish();
  return model;
}

}  // namespace gristmill::text
