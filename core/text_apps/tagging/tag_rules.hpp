// SPDX-License-Identifier: BSD-3-Clause
// Which tags may come next, so that the chunks of a sentence are spelled as a scheme wants: no I-NP but behind B-NP or
// I-NP in IOB2; in BIOES no B-NP at the end of a sentence, or where nothing may follow that closes it.
//
// Tags are decided one after the other. So a tag that fits the one before it is ruled out, too, where from there on
// no tags that are left to decide would make a well spelled sentence.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "text_apps/tagging/chunk_tags.hpp"

namespace gristmill::text_apps::tagging {

// Immutable; threads share it.
class TagRules {
 public:
  static constexpr std::int32_t none = -1;  // the tag before the first one

  // backward: the last token is decided first. Throws std::invalid_argument for a tag that is not one of chunks, and
  // where no tag can stand alone, so that some sentence could not be tagged.
  TagRules(std::span<const std::string> tags, ChunkScheme scheme, bool backward);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  // A mark for each tag that may come behind the one decided before it, with so many tokens left to decide after it.
  // There is one at least, if those before were chosen by the rules.
  [[nodiscard]] std::span<const std::uint8_t> allowed(std::int32_t before, std::size_t left) const;

  // The same for all tokens of a sentence whose tags are known, a row for each, in the order of the text.
  void add_allowed(std::span<const std::int32_t> sentence, std::vector<std::uint8_t>& marks) const;

 private:
  using Marks = std::vector<std::uint8_t>;

  std::size_t size_;
  bool backward_;
  std::size_t depth_ = 0;  // with so many tokens left, or more, the rules are those of one less
  Marks allowed_;          // by the tag before, from none on, then by tokens left
};

}  // namespace gristmill::text_apps::tagging
