// SPDX-License-Identifier: BSD-3-Clause
// What a template sees of a cell: all of it, its beginning, its end, its shape, ...
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "text/characters.hpp"

namespace gristmill::text_apps::templates {

struct View {
  enum class Kind : std::uint8_t {
    whole,
    prefix,  // the first n characters; nothing where there are fewer
    suffix,  // the last n
    shape,   // a letter for each character by its type, symbols as they are: McDonald's -> XxXxxxxx'x
    brief,   // the same with equal neighbours once: XxXx'x
    type,    // the same with S for symbols: XxXxSx
    grams,   // all runs of n characters: as many values as there are runs
    pieces,  // what commas separate: as many values as there are pieces (bags of words in YamCha)
    parts,   // what bars separate: as many values as there are parts (CoNLL-U's features); none of _
  };

  Kind kind = Kind::whole;
  std::uint32_t size = 0;  // n
  bool lower = false;      // of the cell in lower case

  [[nodiscard]] bool is_bag() const noexcept { return kind >= Kind::grams; }
  friend bool operator==(const View&, const View&) = default;
};

struct ViewBuffers {
  std::string lowered;
  std::string made;
};

// emit(std::string_view) for each value there is to see, in order; it may be called with the same value twice.
template <class Emit>
void see(View view, std::string_view cell, ViewBuffers& buffers, Emit emit);

// --- the parts ---------------------------------------------------------------------------------------------------

namespace views {

// The first bytes that are n characters, or npos.
[[nodiscard]] std::size_t bytes_of_first(std::string_view text, std::size_t characters) noexcept;
// Where the last n characters begin, or npos.
[[nodiscard]] std::size_t start_of_last(std::string_view text, std::size_t characters) noexcept;
// symbols: as they are; repeats: of equal neighbours.
void shape_into(std::string_view text, bool symbols, bool repeats, std::string& out);

template <class Emit>
void grams(std::string_view text, std::size_t size, Emit emit) {
  std::size_t end = bytes_of_first(text, size);
  if (end == std::string_view::npos) return;
  for (std::size_t begin = 0;; begin += text::width_of(text[begin])) {
    emit(text.substr(begin, end - begin));
    if (end == text.size()) return;
    end += text::width_of(text[end]);
  }
}

// As YamCha splits: commas at the beginning are skipped, several in a row count as one.
template <class Emit>
void pieces(std::string_view text, Emit emit) {
  std::size_t begin = text.find_first_not_of(',');
  if (begin == std::string_view::npos) begin = text.size();
  while (true) {
    const std::size_t end = text.find(',', begin);
    emit(text.substr(begin, end == std::string_view::npos ? end : end - begin));
    if (end == std::string_view::npos) return;
    begin = text.find_first_not_of(',', end);
    if (begin == std::string_view::npos) begin = text.size();
  }
}

template <class Emit>
void parts(std::string_view text, Emit emit) {
  if (text == "_") return;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('|', begin), text.size());
    if (end > begin) emit(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

}  // namespace views

template <class Emit>
void see(View view, std::string_view cell, ViewBuffers& buffers, Emit emit) {
  using enum View::Kind;
  if (view.lower) {
    text::lower_into(cell, buffers.lowered);
    cell = buffers.lowered;
  }
  switch (view.kind) {
    case whole:
      return emit(cell);
    case prefix:
      if (const auto end = views::bytes_of_first(cell, view.size); end != std::string_view::npos) {
        emit(cell.substr(0, end));
      }
      return;
    case suffix:
      if (const auto begin = views::start_of_last(cell, view.size); begin != std::string_view::npos) {
        emit(cell.substr(begin));
      }
      return;
    case shape:
    case brief:
    case type:
      views::shape_into(cell, view.kind != type, view.kind == shape, buffers.made);
      return emit(std::string_view(buffers.made));
    case grams:
      return views::grams(cell, view.size, emit);
    case pieces:
      return views::pieces(cell, emit);
    case parts:
      return views::parts(cell, emit);
  }
}

}  // namespace gristmill::text_apps::templates
