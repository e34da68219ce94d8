// SPDX-License-Identifier: BSD-3-Clause
// Appends steps to a program.
#pragma once
#include <algorithm>
#include <initializer_list>
#include <stdexcept>

#include "kernel/operator/program.hpp"

namespace gristmill::kernel::gram {

class ProgramWriter {
 public:
  // A list that was opened, with room for what is known only when it is closed.
  struct Opened {
    Program::Step by = Program::slice;
    std::size_t made = 0;  // numbers of its own
    Program::Position at;
    std::size_t skip_at = 0;
    std::size_t places_at = 0;  // in the stream that the size of the list says
  };

  explicit ProgramWriter(Program& program) : program_(program) {}

  [[nodiscard]] Program::Position position() const noexcept { return program_.position(); }
  void truncate(const Program::Position& to) {
    program_.code.resize(to.code);
    program_.narrow.resize(to.narrow);
    program_.wide.resize(to.wide);
    program_.coefs.resize(to.coefs);
  }

  void step(Program::Step step, std::initializer_list<std::size_t> numbers = {}) {
    program_.code.push_back(step);
    for (const std::size_t number : numbers) program_.code.push_back(word(number));
  }
  void coef(double value) { program_.coefs.push_back(value); }

  [[nodiscard]] Opened open_slice(std::size_t first, std::size_t size) {
    Opened opened = open(Program::slice, size, 0);
    program_.code.push_back(word(first));
    leave_room_for_skip(opened);
    return opened;
  }
  // Places in a list of this size are to be put.
  [[nodiscard]] Opened open_pick(std::size_t size, std::size_t around) {
    Opened opened = open(Program::pick, size, size);
    leave_room_for_skip(opened);
    opened.places_at = leave_room_for_places(around, size);
    return opened;
  }
  [[nodiscard]] Opened open_merge(std::size_t size, std::size_t around) {
    Opened opened = open(Program::merge, size, size);
    leave_room_for_skip(opened);
    opened.places_at = leave_room_for_places(size, around);
    return opened;
  }
  // Sources, places and weights follow.
  [[nodiscard]] Opened open_spread(std::size_t size, std::size_t count) {
    Opened opened = open(Program::spread, size, size);
    program_.code.push_back(word(count));
    leave_room_for_skip(opened);
    return opened;
  }
  void place(std::size_t list, std::size_t place) {
    if (Program::is_narrow(list)) {
      program_.narrow.push_back(static_cast<std::uint16_t>(place));
    } else {
      program_.wide.push_back(static_cast<std::uint32_t>(place));
    }
  }
  void put_place(const Opened& opened, std::size_t list, std::size_t at, std::size_t place) {
    if (Program::is_narrow(list)) {
      program_.narrow[opened.places_at + at] = static_cast<std::uint16_t>(place);
    } else {
      program_.wide[opened.places_at + at] = static_cast<std::uint32_t>(place);
    }
  }

  void close(const Opened& opened) {
    step(Program::close);
    nested_ -= opened.made;
    const Program::Position now = position();
    program_.code[opened.skip_at] = word(now.code - opened.at.code);
    program_.code[opened.skip_at + 1] = word(now.narrow - opened.at.narrow);
    program_.code[opened.skip_at + 2] = word(now.wide - opened.at.wide);
    program_.code[opened.skip_at + 3] = word(now.coefs - opened.at.coefs);
  }
  // It will be truncated.
  void abandon(const Opened& opened) { nested_ -= opened.made; }

 private:
  [[nodiscard]] static std::uint32_t word(std::size_t number) {
    if (number > UINT32_MAX) throw std::length_error("a production or label has more subtrees than can be compiled");
    return static_cast<std::uint32_t>(number);
  }
  [[nodiscard]] Opened open(Program::Step by, std::size_t size, std::size_t made) {
    step(by, {size});
    nested_ += made;
    program_.depth = std::max(program_.depth, nested_);
    return {by, made, position(), 0, 0};
  }
  void leave_room_for_skip(Opened& opened) {
    opened.skip_at = program_.code.size();
    program_.code.resize(program_.code.size() + Program::skip_words);
  }
  [[nodiscard]] std::size_t leave_room_for_places(std::size_t list, std::size_t count) {
    if (Program::is_narrow(list)) {
      program_.narrow.resize(program_.narrow.size() + count);
      return program_.narrow.size() - count;
    }
    program_.wide.resize(program_.wide.size() + count);
    return program_.wide.size() - count;
  }

  Program& program_;
  std::size_t nested_ = 0;
};

}  // namespace gristmill::kernel::gram
