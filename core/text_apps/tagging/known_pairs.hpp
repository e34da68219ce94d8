// SPDX-License-Identifier: BSD-3-Clause
// Pairs of neighbouring characters whose boundary has always been of one kind: nothing is to be decided there.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "text_apps/tagging/raw_text.hpp"

namespace gristmill::text_apps::tagging {

class KnownPairs {
 public:
  // Pairs that a text has `least` times or more, with the same ending each time.
  static KnownPairs learn(const RawText& text, std::span<const std::int32_t> endings, std::size_t least);

  // Spelled as `pairs` gives them: all of an ending.
  void add(std::span<const std::string> pairs, Ending ending);
  [[nodiscard]] std::vector<std::string> pairs(Ending ending) const;  // ab, or a b; ascending

  // The ending behind each character: that of its pair, that of a sentence where a paragraph ends, or undecided.
  [[nodiscard]] std::vector<std::int32_t> endings(const RawText& text) const;

 private:
  using Key = std::uint64_t;
  struct Slot {
    Key key = 0;  // 0: none
    Ending ending = Ending::undecided;
  };

  static Key key_of(const RawText& text, std::size_t character);
  void add(Key key, Ending ending);
  void grow();
  [[nodiscard]] Ending find(Key key) const;
  [[nodiscard]] std::size_t place_of(Key key) const;

  std::vector<Slot> slots_ = std::vector<Slot>(16);  // a power of two, half of them free
  std::size_t used_ = 0;
};

}  // namespace gristmill::text_apps::tagging
