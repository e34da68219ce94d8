// SPDX-License-Identifier: BSD-3-Clause
#include "text/svmlight.hpp"

#include <unordered_map>
#include <utility>

#include "text/progress.hpp"
#include "text/writer.hpp"

namespace gristmill::text {
namespace {

void end_token(const Cursor& cursor, const std::string& what) {
  if (!cursor.at_line_end() && !cursor.at_space() && cursor.peek() != '#') {
    cursor.fail("expected a space after " + what + ", got " + cursor.here());
  }
}

// qid, sid and cost stand between the label and the features, in any order.
void read_extras(Cursor& cursor, SvmlightData& data) {
  for (cursor.skip_spaces();; cursor.skip_spaces()) {
    if (cursor.take("qid:")) {
      data.queries.resize(data.labels.size(), 0);
      data.queries.back() = cursor.integer("a query id");
      end_token(cursor, "the query id");
    } else if (cursor.take("sid:") || cursor.take("cost:")) {
      cursor.number("a number");
      end_token(cursor, "sid or cost");
    } else {
      return;
    }
  }
}

class ExampleReader {
 public:
  ExampleReader(IdBase base, LabelKind kind) : kind_(kind), data_{{}, {}, {}, FeatureLists(base)} {}

  void read(Cursor& cursor) {
    data_.labels.push_back(kind_ == LabelKind::numbers ? cursor.number("a label") : read_word(cursor));
    end_token(cursor, "the label");
    read_extras(cursor, data_);
    data_.rows.read_row(cursor);
  }

  SvmlightData take() {
    data_.rows.finish();
    if (!data_.queries.empty()) data_.queries.resize(data_.labels.size(), 0);
    return std::move(data_);
  }

 private:
  double read_word(Cursor& cursor) {
    const std::string word(cursor.word());
    const auto [found, first] = places_.emplace(word, data_.words.size());
    if (first) data_.words.push_back(word);
    return static_cast<double>(found->second);
  }

  LabelKind kind_;
  SvmlightData data_;
  std::unordered_map<std::string, std::size_t> places_;  // of words
};

}  // namespace

SvmlightData parse_svmlight(std::string_view text, IdBase base, LabelKind kind, Observer& observer) {
  ExampleReader reader(base, kind);
  Cursor cursor(text);
  cursor.take("\xEF\xBB\xBF");  // the byte order mark that some editors leave
  for (; !cursor.at_end(); cursor.next_line()) {
    report_line(cursor, text.size(), observer);
    cursor.skip_spaces();
    if (!cursor.at_line_end() && cursor.peek() != '#') reader.read(cursor);
    cursor.skip_to_line_end();
  }
  return reader.take();
}

std::string format_svmlight(std::span<const double> labels, std::span<const std::int64_t> queries, rows::RealRows rows,
                            bool one_based) {
  TextWriter writer;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    writer.add(labels[row]);
    if (!queries.empty()) writer.add(" qid:").add(queries[row]);
    writer.add_features(rows, row, one_based).add("\n");
  }
  return writer.take();
}

}  // namespace gristmill::text
