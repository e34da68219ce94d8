// SPDX-License-Identifier: BSD-3-Clause
#include "text/libsvm_model.hpp"

#include <algorithm>
#include <array>

#include "text/writer.hpp"

namespace gristmill {
namespace {

constexpr std::array scalar_keys{"degree", "gamma", "coef0", "nr_class", "total_sv"};
constexpr std::array vector_keys{"rho", "label", "probA", "probB", "prob_density_marks", "nr_sv"};
constexpr double most_classes = 1 << 24;  // pairs of classes stay far below 2^53

bool contains(const auto& keys, std::string_view key) { return std::ranges::find(keys, key) != keys.end(); }

std::string read_word(Cursor& cursor, const std::string& what) {
  cursor.skip_spaces();
  const std::string word(cursor.word());
  if (word.empty()) cursor.fail("expected " + what + ", got " + cursor.here());
  return word;
}

void end_line(Cursor& cursor) {
  cursor.skip_spaces();
  if (!cursor.at_line_end()) cursor.fail("expected the end of the line, got " + cursor.here());
}

std::vector<double> read_numbers(Cursor& cursor, const std::string& key) {
  std::vector<double> numbers;
  for (cursor.skip_spaces(); !cursor.at_line_end(); cursor.skip_spaces()) {
    numbers.push_back(cursor.number("a number of '" + key + "'"));
  }
  return numbers;
}

void read_header_line(Cursor& cursor, const std::string& key, const char* start, LibsvmModel& model) {
  if (key == "svm_type") {
    model.svm_type = read_word(cursor, "the type of machine");
  } else if (key == "kernel_type") {
    model.kernel_type = read_word(cursor, "the type of kernel");
  } else if (contains(scalar_keys, key)) {
    cursor.skip_spaces();
    if (!model.scalars.emplace(key, cursor.number("the value of '" + key + "'")).second)
      cursor.fail_at(start, "'" + key + "' stands twice in the header");
  } else if (contains(vector_keys, key)) {
    if (!model.vectors.emplace(key, read_numbers(cursor, key)).second)
      cursor.fail_at(start, "'" + key + "' stands twice in the header");
  } else {
    cursor.fail_at(start, "unknown header '" + key.substr(0, 24) + "' in a libsvm model");
  }
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

double required(const Cursor& cursor, const LibsvmModel& model, const std::string& key, double low, double high) {
  const auto found = model.scalars.find(key);
  if (found == model.scalars.end()) cursor.fail("the header has no '" + key + "'");
  const double value = found->second;
  if (!(value >= low && value <= high) || value != static_cast<double>(static_cast<std::int64_t>(value))) {
    cursor.fail("'" + key + "' is not a sensible whole number");
  }
  return value;
}

void require_count(const Cursor& cursor, const LibsvmModel& model, const std::string& key, std::size_t wanted) {
  const auto found = model.vectors.find(key);
  if (found != model.vectors.end() && found->second.size() != wanted) {
    cursor.fail("'" + key + "' has " + std::to_string(found->second.size()) + " numbers, expected " +
                std::to_string(wanted));
  }
}

void require(const Cursor& cursor, const LibsvmModel& model, const std::string& key) {
  if (!model.vectors.contains(key)) cursor.fail("the header has no '" + key + "'");
}

void check_header(const Cursor& cursor, LibsvmModel& model) {
  if (model.svm_type.empty()) cursor.fail("the header has no 'svm_type'");
  if (model.kernel_type.empty()) cursor.fail("the header has no 'kernel_type'");
  required(cursor, model, "total_sv", 0, 1e15);
  const auto classes = static_cast<std::size_t>(required(cursor, model, "nr_class", 1, most_classes));
  const bool classifier = model.svm_type == "c_svc" || model.svm_type == "nu_svc";
  const std::size_t outputs = classifier ? classes * (classes - 1) / 2 : 1;
  require(cursor, model, "rho");
  require_count(cursor, model, "rho", outputs);
  require_count(cursor, model, "probA", outputs);
  if (classifier) {
    require(cursor, model, "label");
    require(cursor, model, "nr_sv");
    require_count(cursor, model, "probB", outputs);
    require_count(cursor, model, "label", classes);
    require_count(cursor, model, "nr_sv", classes);
  }
  model.coefs_per_row = classifier ? classes - 1 : 1;
}

void read_coefs(Cursor& cursor, LibsvmModel& model) {
  for (std::size_t i = 0; i < model.coefs_per_row; ++i) {
    cursor.skip_spaces();
    model.coefs.push_back(cursor.number("a coefficient of a support vector"));
    if (!cursor.at_line_end() && !cursor.at_space()) cursor.fail("expected a coefficient, got " + cursor.here());
  }
}

void read_vectors(Cursor& cursor, LibsvmModel& model) {
  const auto wanted = static_cast<std::size_t>(model.scalars.at("total_sv"));
  std::size_t found = 0;
  for (; !cursor.at_end(); cursor.next_line()) {
    cursor.skip_spaces();
    if (cursor.at_line_end()) continue;
    if (found++ == wanted) cursor.fail("more support vectors than the " + std::to_string(wanted) + " of 'total_sv'");
    read_coefs(cursor, model);
    model.rows.read_row(cursor);
    end_line(cursor);
  }
  if (found < wanted) {
    cursor.fail("the file ends after " + std::to_string(found) + " of " + std::to_string(wanted) +
                " support vectors; is it truncated?");
  }
}

}  // namespace

LibsvmModel parse_libsvm_model(std::string_view text) {
  LibsvmModel model;
  Cursor cursor(text);
  read_header(cursor, model);
  check_header(cursor, model);
  cursor.next_line();
  read_vectors(cursor, model);
  model.rows.finish();
  return model;
}

std::string format_libsvm_vectors(std::span<const double> coefs, RealRows rows, bool one_based) {
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

}  // namespace gristmill
