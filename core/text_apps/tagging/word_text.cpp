// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/tagging/word_text.hpp"

#include <stdexcept>

#include "text/characters.hpp"

namespace gristmill::text_apps::tagging {
namespace {

void check(const CharacterLines& lines, std::span<const std::int32_t> classes) {
  if (classes.size() != lines.characters()) throw std::invalid_argument("one class for each character, please");
}

bool ends_word(const CharacterLines& lines, std::span<const std::int32_t> classes, std::size_t character) {
  return lines.walls()[character] != 0 || classes[character] == 1;
}

// Spaces that CoNLL-U cannot have in its last column, as UDPipe spells them.
void add_escaped(std::string_view gap, std::string& out) {
  for (const char byte : gap) {
    switch (byte) {
      case ' ':
        out += "\\s";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        out += byte;
    }
  }
}

class ConlluWriter {
 public:
  ConlluWriter(const CharacterLines& lines, std::span<const std::int32_t> classes) : lines_(lines), classes_(classes) {}

  std::string run() {
    for (std::size_t line = 0; line < lines_.size(); ++line) {
      if (lines_.first(line) < lines_.first(line + 1)) add_sentence(lines_.first(line), lines_.first(line + 1));
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string_view between(std::size_t begin, std::size_t end) const {
    return lines_.text().substr(begin, end - begin);
  }

  void add_sentence(std::size_t first, std::size_t end) {
    out_ += "# text = ";
    out_ += between(lines_.begin_of(first), lines_.end_of(end - 1));
    out_ += '\n';
    std::size_t number = 0;
    for (std::size_t begin = first, at = first; at < end; ++at) {
      if (!ends_word(lines_, classes_, at)) continue;
      out_ += std::to_string(++number) + '\t';
      out_ += between(lines_.begin_of(begin), lines_.end_of(at));
      out_ += "\t_\t_\t_\t_\t_\t_\t_\t";
      add_space(at, at + 1 == end);
      out_ += '\n';
      begin = at + 1;
    }
    out_ += '\n';
  }

  // What is behind a word; the last one has the end of its line there.
  void add_space(std::size_t character, bool is_last) {
    const std::size_t end = lines_.end_of(character);
    const std::string_view gap = is_last ? " " : between(end, lines_.begin_of(character + 1));
    if (gap.empty()) {
      out_ += "SpaceAfter=No";
    } else if (gap == " ") {
      out_ += '_';
    } else {
      out_ += "SpacesAfter=";
      add_escaped(gap, out_);
    }
  }

  const CharacterLines& lines_;
  std::span<const std::int32_t> classes_;
  std::string out_;
};

}  // namespace

std::string segmented_text(const CharacterLines& lines, std::span<const std::int32_t> classes) {
  check(lines, classes);
  const std::string_view text = lines.text();
  std::string out;
  out.reserve(text.size() + lines.characters());
  std::size_t written = 0;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    for (std::size_t at = lines.first(line); at + 1 < lines.first(line + 1); ++at) {
      if (!ends_word(lines, classes, at)) continue;
      out += text.substr(written, lines.end_of(at) - written);
      out += ' ';
      written = lines.end_of(at);
    }
  }
  out += text.substr(written);
  return out;
}

std::string joined_text(const CharacterLines& lines) {
  const std::string_view text = lines.text();
  std::string out;
  out.reserve(text.size());
  std::size_t written = 0;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    for (std::size_t at = lines.first(line); at + 1 < lines.first(line + 1); ++at) {
      const std::size_t end = lines.end_of(at);
      if (text[end] != ' ') continue;
      out += text.substr(written, end - written);
      written = end + 1;
    }
  }
  out += text.substr(written);
  return out;
}

std::string conllu_text(const CharacterLines& lines, std::span<const std::int32_t> classes) {
  check(lines, classes);
  return ConlluWriter(lines, classes).run();
}

std::vector<std::int64_t> word_spans(const CharacterLines& lines, std::span<const std::int32_t> classes) {
  check(lines, classes);
  std::vector<std::int64_t> spans;
  std::size_t place = 0;  // in characters
  std::size_t byte = 0;
  bool inside = false;
  for (std::size_t at = 0; at < lines.characters(); ++at) {
    place += text::count_characters(lines.text().substr(byte, lines.begin_of(at) - byte));
    if (!inside) spans.push_back(static_cast<std::int64_t>(place));
    ++place;
    byte = lines.end_of(at);
    inside = !ends_word(lines, classes, at);
    if (!inside) spans.push_back(static_cast<std::int64_t>(place));
  }
  return spans;
}

}  // namespace gristmill::text_apps::tagging
