// SPDX-License-Identifier: BSD-3-Clause
// Reads programs step by step as they are run, and checks that they stay within their lists and streams.
#pragma once
#include <algorithm>
#include <array>
#include <set>

#include "checks.hpp"
#include "kernel/operator/program.hpp"

namespace gristmill {

// What occurs in some programs.
struct Survey {
  std::array<std::size_t, kernel::gram::Program::close + 1> steps{};
  std::array<std::size_t, kernel::gram::Program::close + 1> narrow{};  // steps with places in lists of this kind,
  std::array<std::size_t, kernel::gram::Program::close + 1> wide{};
  std::set<std::size_t> blocks{};  // their sizes
  std::size_t longest_triangle = 0;

  void add(const Survey& other) {
    for (std::size_t step = 0; step < steps.size(); ++step) {
      steps[step] += other.steps[step];
      narrow[step] += other.narrow[step];
      wide[step] += other.wide[step];
    }
    blocks.insert(other.blocks.begin(), other.blocks.end());
    longest_triangle = std::max(longest_triangle, other.longest_triangle);
  }
  [[nodiscard]] bool has(std::initializer_list<kernel::gram::Program::Step> some) const {
    return std::ranges::all_of(some, [&](kernel::gram::Program::Step step) { return steps[step] > 0; });
  }
};

class ProgramReader {
 public:
  ProgramReader(const kernel::gram::Program& program, std::size_t whole, Survey& survey)
      : program_(program), survey_(survey), lists_{{whole, 0, {}, {}}} {
    while (at_.code < program.code.size()) read_step();
    CHECK(lists_.size() == 1 && at_.total() == program.position().total());
    CHECK(deepest_ <= program.depth);
  }

 private:
  struct List {
    std::size_t size;
    std::size_t made;                        // numbers of its own
    kernel::gram::Program::Position opened;  // what follows the size of the list
    kernel::gram::Program::Position skip;
  };

  [[nodiscard]] std::size_t word() { return program_.code[at_.code++]; }
  [[nodiscard]] std::size_t size() const { return lists_.back().size; }

  void read_step() {
    const std::size_t step = word();
    CHECK(step <= kernel::gram::Program::close);
    ++survey_.steps[step];
    switch (step) {
      case kernel::gram::Program::same:
        return read_coefs(1);
      case kernel::gram::Program::diagonal:
        return read_sets(1);
      case kernel::gram::Program::blocks:
        return read_sets(word());
      case kernel::gram::Program::dense:
        survey_.longest_triangle = std::max(survey_.longest_triangle, size());
        return read_coefs(size() * (size() + 1) / 2);
      case kernel::gram::Program::close:
        return close();
      default:
        open(static_cast<kernel::gram::Program::Step>(step));
    }
  }

  void read_coefs(std::size_t count) {
    CHECK(at_.coefs + count <= program_.coefs.size());
    for (; count > 0; --count) CHECK(program_.coefs[at_.coefs++] >= 0);
  }
  void read_sets(std::size_t members) {
    if (members > 1) survey_.blocks.insert(members);
    const std::size_t first = word();
    const std::size_t count = word();
    CHECK(members >= 1 && members <= kernel::gram::Program::largest_block && first + members * count <= size());
    read_coefs(count * (members * (members + 1) / 2));
  }

  void open(kernel::gram::Program::Step by) {
    List list{word(), 0, at_, {}};
    if (by != kernel::gram::Program::slice) list.made = list.size;
    const std::size_t number = by == kernel::gram::Program::slice || by == kernel::gram::Program::spread
                                   ? word()
                                   : 0;  // the first, or how many
    for (std::size_t* skip : {&list.skip.code, &list.skip.narrow, &list.skip.wide, &list.skip.coefs}) *skip = word();
    if (by == kernel::gram::Program::slice) CHECK(number + list.size <= size());
    const bool is_whole = lists_.size() == 1;
    if (by == kernel::gram::Program::pick)
      read_places(by, is_whole ? kernel::gram::Program::whole : size(), size(), list.size);
    if (by == kernel::gram::Program::merge) read_places(by, list.size, list.size, size());
    if (by == kernel::gram::Program::spread) {
      read_places(by, size(), size(), number);
      read_places(by, list.size, list.size, number);
      read_coefs(number);
    }
    lists_.push_back(list);
    std::size_t nested = 0;
    for (const List& one : lists_) nested += one.made;
    deepest_ = std::max(deepest_, nested);
  }
  // Places in a list of some size, in the stream for lists of that size or another.
  void read_places(kernel::gram::Program::Step by, std::size_t stream, std::size_t list, std::size_t count) {
    const bool is_narrow = kernel::gram::Program::is_narrow(stream);
    if (stream != kernel::gram::Program::whole) ++(is_narrow ? survey_.narrow : survey_.wide)[by];
    CHECK((is_narrow ? at_.narrow : at_.wide) + count <= (is_narrow ? program_.narrow.size() : program_.wide.size()));
    for (; count > 0; --count) CHECK((is_narrow ? program_.narrow[at_.narrow++] : program_.wide[at_.wide++]) < list);
  }
  void close() {
    const List& list = lists_.back();
    CHECK(lists_.size() > 1);
    CHECK(at_.code == list.opened.code + list.skip.code && at_.narrow == list.opened.narrow + list.skip.narrow);
    CHECK(at_.wide == list.opened.wide + list.skip.wide && at_.coefs == list.opened.coefs + list.skip.coefs);
    lists_.pop_back();
  }

  const kernel::gram::Program& program_;
  Survey& survey_;
  kernel::gram::Program::Position at_;
  std::vector<List> lists_;
  std::size_t deepest_ = 0;
};

}  // namespace gristmill
