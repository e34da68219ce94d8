// SPDX-License-Identifier: BSD-3-Clause
#include "text/columns.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/errors.hpp"
#include "base/utf8.hpp"
#include "text/characters.hpp"

namespace gristmill::text {
namespace {

bool is_blank(char byte) { return byte == ' ' || byte == '\t'; }

// Without blanks and carriage returns at its end.
std::string_view trimmed(std::string_view line) {
  while (!line.empty() && (is_blank(line.back()) || line.back() == '\r')) line.remove_suffix(1);
  return line;
}

std::string_view without_return(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

std::string shown(std::size_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::size_t cells_in(std::string_view line, bool tabs) {
  if (tabs) return 1 + static_cast<std::size_t>(std::ranges::count(line, '\t'));
  std::size_t cells = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    cells += !is_blank(line[at]) && (at == 0 || is_blank(line[at - 1])) ? 1 : 0;
  }
  return cells;
}

// visit(line) for each line, until it returns false.
template <class Visit>
void for_each_line(std::string_view text, Visit visit) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (!visit(text.substr(at, end - at))) return;
    at = end + 1;
  }
}

// Whether tokens have several cells, so that a line "EOS" cannot be one of them: by the first that is something else.
bool has_several(std::string_view text, bool tabs) {
  bool several = false;
  for_each_line(text, [&](std::string_view line) {
    const std::string_view content = tabs ? without_return(line) : trimmed(line);
    if (trimmed(line).empty() || content == "EOS") return true;
    several = cells_in(content, tabs) > 1;
    return false;
  });
  return several;
}

}  // namespace

class ColumnReader {
 public:
  ColumnReader(Columns& to, ColumnFormat format) : to_(to), format_(format) {
    to_.columns_ = format.columns;
    to_.tabs_ = format.tabs;
  }

  void run() {
    const std::string_view text(to_.text_.data(), to_.text_.size());
    const bool all_utf8 = is_utf8(text);
    several_ = format_.columns > 0 ? format_.columns > 1 : has_several(text, format_.tabs);
    for (std::size_t at = 0; at < text.size(); ++number_) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string_view line = text.substr(at, end - at);
      if (!all_utf8 && !is_utf8(line)) fail_encoding(line);
      at = std::min(end + 1, text.size());
      add(line, at);
    }
    end_sentence();
  }

 private:
  void add(std::string_view line, std::size_t next) {
    const std::string_view content = format_.tabs ? without_return(line) : trimmed(line);
    const bool is_token = !trimmed(line).empty() && !(several_ && content == "EOS");
    const auto end = static_cast<std::size_t>(content.data() + content.size() - to_.text_.data());
    to_.lines_.push_back({end, next, is_token});
    if (!is_token) return end_sentence();
    const std::size_t before = to_.cells_.size();
    format_.tabs ? split_at_tabs(content) : split_at_blanks(content);
    const std::size_t found = to_.cells_.size() - before;
    if (to_.columns_ == 0) to_.columns_ = found;
    if (found != to_.columns_) fail_count(found, content);
    ++tokens_;
  }

  void end_sentence() {
    if (to_.starts_.back() < tokens_) to_.starts_.push_back(tokens_);
  }

  void split_at_blanks(std::string_view line) {
    std::size_t at = 0;
    while (true) {
      while (at < line.size() && is_blank(line[at])) ++at;
      if (at == line.size()) return;
      const std::size_t begin = at;
      while (at < line.size() && !is_blank(line[at])) ++at;
      to_.cells_.push_back(line.substr(begin, at - begin));
    }
  }

  void split_at_tabs(std::string_view line) {
    for (std::size_t at = 0;;) {
      const std::size_t end = std::min(line.find('\t', at), line.size());
      to_.cells_.push_back(line.substr(at, end - at));
      if (end == line.size()) return;
      at = end + 1;
    }
  }

  [[noreturn]] void fail_count(std::size_t found, std::string_view line) const {
    const std::string why = format_.columns == 0 ? " as the first line has" : "";
    throw ParseError(
        shown(found, "column") + ", expected " + std::to_string(to_.columns_) + why + "; an empty line ends a sentence",
        number_, line.size() + 1);
  }

  [[noreturn]] void fail_encoding(std::string_view line) const {
    throw ParseError("the text is not UTF-8; if it is in another encoding, name it (encoding='latin-1', --encoding)",
                     number_, first_bad_byte(line) + 1);
  }

  Columns& to_;
  ColumnFormat format_;
  bool several_ = false;
  std::size_t tokens_ = 0;
  std::size_t number_ = format_.line;
};

Columns Columns::parse(std::string_view text, ColumnFormat format) {
  Columns columns;
  columns.text_.assign(text.begin(), text.end());
  ColumnReader(columns, format).run();
  return columns;
}

Columns Columns::of_cells(std::span<const std::string> cells, std::size_t columns,
                          std::span<const std::int64_t> lengths) {
  Columns made;
  made.columns_ = columns;
  std::size_t bytes = 0;
  for (const std::string& cell : cells) bytes += cell.size();
  made.text_.reserve(bytes);  // so that views of it stay
  for (const std::string& cell : cells) {
    const std::size_t begin = made.text_.size();
    made.text_.insert(made.text_.end(), cell.begin(), cell.end());
    made.cells_.emplace_back(made.text_.data() + begin, cell.size());
  }
  std::size_t tokens = 0;
  for (const std::int64_t length : lengths) {
    if (length < 0) throw std::invalid_argument("a sentence has a negative length");
    made.starts_.push_back(tokens += static_cast<std::size_t>(length));
  }
  if (columns == 0 || tokens * columns != cells.size()) throw std::invalid_argument("cells do not fit the sentences");
  return made;
}

Columns Columns::of_views(std::vector<std::string_view> cells, std::size_t columns, std::vector<std::size_t> starts) {
  Columns made;
  made.columns_ = columns;
  made.cells_ = std::move(cells);
  made.starts_ = std::move(starts);
  return made;
}

Columns Columns::picked(std::span<const std::size_t> columns) const {
  std::vector<std::string_view> cells;
  cells.reserve(tokens() * columns.size());
  for (std::size_t token = 0; token < tokens(); ++token) {
    for (const std::size_t column : columns) cells.push_back(cell(token, column));
  }
  return of_views(std::move(cells), columns.size(), starts_);
}

char Columns::separator_of(std::size_t token, std::string_view line) const {
  if (columns_ < 2 || tabs_) return '\t';
  const std::string_view last = cell(token, columns_ - 1);
  return last.data() > line.data() ? last.data()[-1] : '\t';
}

void Columns::add_line(std::size_t token, std::string_view line, std::string_view word, bool replace,
                       std::string& out) const {
  if (replace) {
    out += line.substr(0, static_cast<std::size_t>(cell(token, columns_ - 1).data() - line.data()));
  } else {
    out += line;
    out += separator_of(token, line);
  }
  out += word;
}

std::string Columns::with_column(std::span<const std::int32_t> numbers, std::span<const std::string> words,
                                 bool replace) const {
  if (numbers.size() != tokens()) throw std::invalid_argument("one number for each token, please");
  std::string out;
  out.reserve(text_.size() + 8 * tokens());
  std::size_t begin = 0;
  std::size_t token = 0;
  for (const auto& [end, next, is_token] : lines_) {
    if (is_token) {
      const std::string& word = words[static_cast<std::size_t>(numbers[token])];
      add_line(token++, {text_.data() + begin, end - begin}, word, replace, out);
      const bool returns = next >= 2 && text_[next - 1] == '\n' && text_[next - 2] == '\r';
      out += returns ? "\r\n" : "\n";
    } else {
      out.append(text_.data() + begin, next - begin);
      if (next == text_.size() && out.back() != '\n') out += '\n';
    }
    begin = next;
  }
  return out;
}

std::size_t first_bad_byte(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t width = width_of(text[at]);
    if (at + width > text.size() || !is_utf8(text.substr(at, width))) return at;
    at += width;
  }
  return at;
}

std::size_t complete_sentences(std::string_view text, bool tabs) {
  const bool several = has_several(text, tabs);
  std::size_t end = text.size();
  while (end > 0) {
    if (text[end - 1] != '\n') {
      const std::size_t newline = text.rfind('\n', end - 1);
      if (newline == std::string_view::npos) return 0;
      end = newline + 1;
      continue;
    }
    const std::size_t before = end == 1 ? std::string_view::npos : text.rfind('\n', end - 2);
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    const std::string_view line = text.substr(begin, end - 1 - begin);
    const bool ends = several && (tabs ? without_return(line) : trimmed(line)) == "EOS";
    if (ends || trimmed(line).empty()) return end;
    end = begin;
  }
  return 0;
}

}  // namespace gristmill::text
