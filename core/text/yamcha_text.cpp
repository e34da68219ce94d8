// SPDX-License-Identifier: BSD-3-Clause
#include "text/yamcha_text.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "text/annotated_header.hpp"
#include "text/feature_list.hpp"
#include "text/progress.hpp"

namespace gristmill::text {
namespace {

constexpr std::string_view blanks = " \t";

struct Kernel {
  std::int64_t degree = 1;
  double g = 1.0;
  double s = 1.0;
  double r = 0.0;

  bool operator==(const Kernel&) const = default;
};

class TextReader {
 public:
  TextReader(std::string_view text, Observer& observer) : cursor_(text), total_(text.size()), observer_(observer) {}

  YamchaModel read() {
    read_parameters();
    read_dictionary();
    while (skip_empty_lines()) read_classifier();
    if (!kernel_) cursor_.fail("the file ends before the first line MULTI_CLASS");
    finish(*kernel_);
    return std::move(model_);
  }

 private:
  // Up to the line end, which is passed.
  std::string_view take_line() {
    const char* start = cursor_.mark();
    while (!cursor_.at_line_end()) cursor_.skip();
    const std::string_view line = cursor_.since(start);
    cursor_.next_line();
    report_line(cursor_, total_, observer_);
    return line;
  }

  // False at the end of the text.
  bool skip_empty_lines() {
    while (!cursor_.at_end() && cursor_.at_line_end()) cursor_.next_line();
    return !cursor_.at_end();
  }

  void read_parameters() {
    while (!cursor_.at_line_end()) {
      const Cursor start = cursor_;
      const std::string_view line = take_line();
      if (line.substr(std::min(line.find_first_not_of(blanks), line.size())).starts_with('#')) continue;
      const std::size_t colon = line.find(':');
      if (colon == std::string_view::npos) start.fail("expected a line 'Key: value', got " + quoted(line));
      add_parameter(line.substr(0, colon), line.substr(colon + 1));
    }
    cursor_.next_line();
  }

  void add_parameter(std::string_view key, std::string_view value) {
    key = key.substr(0, key.find_last_not_of(blanks) + 1);
    value.remove_prefix(std::min(value.find_first_not_of(blanks), value.size()));
    for (const char c : key) model_.parameters += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    model_.parameters += '\0';
    model_.parameters += value;
    model_.parameters += '\0';
  }

  void read_dictionary() {
    while (!cursor_.at_line_end()) {
      const Cursor start = cursor_;
      const std::int64_t id = cursor_.integer("the id of a feature", 1, 0x7FFFFFFF);
      cursor_.skip_spaces();
      const std::string_view name = cursor_.word();
      if (name.empty()) start.fail("a feature without a name");
      if (!names_.emplace(static_cast<FeatureId>(id - 1), name).second) start.fail("a feature id occurs twice");
      take_line();
    }
    cursor_.next_line();
  }

  void read_classifier() {
    read_classes();
    const Cursor start = cursor_;
    const AnnotatedHeader header = parse_annotated_header(cursor_);
    const Kernel kernel = kernel_of(header, start);
    if (kernel_ && *kernel_ != kernel) start.fail("classifiers with different kernels; YamCha has one for all");
    kernel_ = kernel;
    model_.classifiers.back().threshold = number_of(header, "threshold b", start);
    cursor_ = header.rest;
    while (!cursor_.at_line_end()) read_vector();
  }

  void read_classes() {
    if (!cursor_.take("MULTI_CLASS")) cursor_.fail("expected a line MULTI_CLASS, got " + cursor_.here());
    std::uint32_t numbers[2];
    for (std::uint32_t& number : numbers) {
      cursor_.skip_spaces();
      const std::string_view name = cursor_.word();
      if (name.empty()) cursor_.fail("expected two classes after MULTI_CLASS");
      number = class_number(name);
    }
    if (numbers[0] == numbers[1]) cursor_.fail("a classifier of a class against itself");
    take_line();
    model_.classifiers.push_back({numbers[0], numbers[1], 0.0});
  }

  std::uint32_t class_number(std::string_view name) {
    const auto next = static_cast<std::uint32_t>(model_.classes.size());
    const auto [found, is_new] = class_numbers_.emplace(name, next);
    if (is_new) model_.classes.emplace_back(name);
    return found->second;
  }

  static double number_of(const AnnotatedHeader& header, std::string_view name, const Cursor& start) {
    const auto found = std::ranges::find_if(header.entries, [&](const auto& e) { return e.name.starts_with(name); });
    if (found == header.entries.end()) start.fail("the model has no line '# " + std::string(name) + "'");
    return Cursor(found->value, found->line).number("a number before '# " + std::string(name) + "'");
  }

  static Kernel kernel_of(const AnnotatedHeader& header, const Cursor& start) {
    const double type = number_of(header, "kernel type", start);
    if (type == 0) return {};
    if (type != 1) start.fail("a kernel that is neither linear nor polynomial");
    const double degree = number_of(header, "kernel parameter -d", start);
    if (!(degree >= 0 && degree <= 1000 && degree == std::floor(degree)))
      start.fail("the degree is no whole number up to 1000");
    return {static_cast<std::int64_t>(degree), number_of(header, "kernel parameter -g", start),
            number_of(header, "kernel parameter -s", start), number_of(header, "kernel parameter -r", start)};
  }

  void read_vector() {
    const double weight = cursor_.number("the weight of a support vector");
    if (!cursor_.at_line_end() && !cursor_.at_space()) cursor_.fail("expected a space after a weight");
    FeatureLists row(IdBase::one);
    const Cursor start = cursor_;
    row.read_row(cursor_);
    row.finish();
    for (const FeatureId id : row.ids) {
      if (!names_.contains(id))
        start.fail("feature " + std::to_string(std::int64_t{id} + 1) + " is not in the dictionary");
    }
    take_line();
    model_.weight_rows.push_back(row_number(std::move(row.ids)));
    model_.weight_classifiers.push_back(static_cast<std::int32_t>(model_.classifiers.size() - 1));
    model_.weights.push_back(weight);
  }

  // Equal rows are one.
  std::int32_t row_number(std::vector<FeatureId> ids) {
    const auto next = static_cast<std::int32_t>(rows_.size());
    const auto [found, is_new] = rows_.emplace(std::move(ids), next);
    if (is_new) in_order_.push_back(&found->first);
    return found->second;
  }

  void finish(const Kernel& kernel) {
    model_.solver = YamchaModel::Solver::text;
    model_.degree = static_cast<std::uint32_t>(kernel.degree);
    model_.g = kernel.g;
    model_.s = kernel.s;
    model_.r = kernel.r;
    put_other_last();
    number_features();
  }

  void put_other_last() {
    const auto other = class_numbers_.find(yamcha_other);
    if (other == class_numbers_.end()) return;
    model_.one_vs_rest = true;
    const std::uint32_t was = other->second;
    const auto last = static_cast<std::uint32_t>(model_.classes.size() - 1);
    const auto moved = [&](std::uint32_t c) { return c == was ? last : c - (c > was ? 1 : 0); };
    model_.classes.erase(model_.classes.begin() + was);
    model_.classes.emplace_back(yamcha_other);
    for (auto& classifier : model_.classifiers) {
      classifier.positive = moved(classifier.positive);
      classifier.negative = moved(classifier.negative);
    }
  }

  // Features that occur, in the order of their bytes, as a compiled model has them.
  void number_features() {
    std::map<FeatureId, FeatureId> number;
    for (const auto* row : in_order_) {
      for (const FeatureId id : *row) number.emplace(id, 0);
    }
    std::map<std::string_view, FeatureId> sorted;
    for (const auto& [id, unused] : number) {
      if (!sorted.emplace(names_.at(id), id).second)
        cursor_.fail("a feature name occurs twice: " + quoted(names_.at(id)));
    }
    for (const auto& [name, id] : sorted) {
      number[id] = static_cast<FeatureId>(model_.features.size());
      model_.features.emplace_back(name);
    }
    for (const auto* row : in_order_) {
      const auto begin = static_cast<std::ptrdiff_t>(model_.ids.size());
      for (const FeatureId id : *row) model_.ids.push_back(number.at(id));
      std::sort(model_.ids.begin() + begin, model_.ids.end());
      model_.offsets.push_back(static_cast<Offset>(model_.ids.size()));
    }
  }

  struct RowHash {
    std::size_t operator()(const std::vector<FeatureId>& ids) const noexcept {
      return std::accumulate(
          ids.begin(), ids.end(), std::size_t{14695981039346656037U},
          [](std::size_t h, FeatureId id) { return (h ^ static_cast<std::size_t>(id)) * 1099511628211U; });
    }
  };

  Cursor cursor_;
  std::size_t total_;
  Observer& observer_;
  YamchaModel model_;
  std::unordered_map<FeatureId, std::string_view> names_;
  std::unordered_map<std::string_view, std::uint32_t> class_numbers_;
  std::unordered_map<std::vector<FeatureId>, std::int32_t, RowHash> rows_;
  std::vector<const std::vector<FeatureId>*> in_order_;
  std::optional<Kernel> kernel_;
};

}  // namespace

YamchaModel parse_yamcha_text(std::string_view text, Observer& observer) { return TextReader(text, observer).read(); }

}  // namespace gristmill::text
