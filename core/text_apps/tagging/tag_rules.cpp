// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/tagging/tag_rules.hpp"

#include <algorithm>
#include <stdexcept>

namespace gristmill::text_apps::tagging {
namespace {

// Pairs of tags in the order in which they are decided; `size` is what lies beyond the ends.
class Pairs {
 public:
  Pairs(const ChunkTags& tags, ChunkScheme scheme, bool backward) : tags_(tags), scheme_(scheme), backward_(backward) {}

  [[nodiscard]] std::size_t size() const noexcept { return tags_.size(); }
  [[nodiscard]] bool fits(std::size_t before, std::size_t after) const {
    return backward_ ? may_follow(scheme_, tag(after), tag(before)) : may_follow(scheme_, tag(before), tag(after));
  }

 private:
  [[nodiscard]] ChunkTag tag(std::size_t number) const {
    return number == size() ? ChunkTag{} : tags_[static_cast<std::int32_t>(number)];
  }

  const ChunkTags& tags_;
  ChunkScheme scheme_;
  bool backward_;
};

using Marks = std::vector<std::uint8_t>;

// Tags from which a sentence can be ended, where that can be said of those that are decided after them.
Marks lead_to(const Pairs& pairs, const Marks& after) {
  Marks found(pairs.size(), 0);
  for (std::size_t tag = 0; tag < found.size(); ++tag) {
    for (std::size_t next = 0; next < after.size() && found[tag] == 0; ++next) {
      found[tag] = after[next] != 0 && pairs.fits(tag, next) ? 1 : 0;
    }
  }
  return found;
}

// By the number of tokens left, up to where nothing changes any more: two steps at most, for a tag that can be ended
// at all is so by a tag that stands alone, or by one that closes its chunk and then such a tag.
std::vector<Marks> can_be_ended(const Pairs& pairs) {
  Marks ends(pairs.size());
  for (std::size_t tag = 0; tag < ends.size(); ++tag) ends[tag] = pairs.fits(tag, pairs.size()) ? 1 : 0;
  std::vector<Marks> found{ends};
  for (Marks next = lead_to(pairs, ends); next != found.back(); next = lead_to(pairs, next)) found.push_back(next);
  return found;
}

void check_some_stands_alone(const Pairs& pairs) {
  const std::size_t outside = pairs.size();
  for (std::size_t tag = 0; tag < outside; ++tag) {
    if (pairs.fits(outside, tag) && pairs.fits(tag, outside)) return;
  }
  throw std::invalid_argument("no tag can be that of a sentence of one token, such as O: do without constraints");
}

}  // namespace

TagRules::TagRules(std::span<const std::string> tags, ChunkScheme scheme, bool backward)
    : size_(tags.size()), backward_(backward) {
  const ChunkTags known(tags);
  const Pairs pairs(known, scheme, backward);
  check_some_stands_alone(pairs);
  const std::vector<Marks> ended = can_be_ended(pairs);
  depth_ = ended.size();
  for (std::size_t before = 0; before <= size_; ++before) {
    for (const Marks& own : ended) {
      for (std::size_t tag = 0; tag < size_; ++tag) {
        const bool may = own[tag] != 0 && pairs.fits(before == 0 ? size_ : before - 1, tag);
        allowed_.push_back(may ? 1 : 0);
      }
    }
  }
}

std::span<const std::uint8_t> TagRules::allowed(std::int32_t before, std::size_t left) const {
  const std::size_t row = static_cast<std::size_t>(before + 1) * depth_ + std::min(left, depth_ - 1);
  return std::span(allowed_).subspan(row * size_, size_);
}

void TagRules::add_allowed(std::span<const std::int32_t> sentence, Marks& marks) const {
  const std::size_t length = sentence.size();
  for (std::size_t at = 0; at < length; ++at) {
    const bool first = backward_ ? at + 1 == length : at == 0;
    const std::int32_t before = first ? none : sentence[backward_ ? at + 1 : at - 1];
    const auto own = allowed(before, backward_ ? at : length - at - 1);
    marks.insert(marks.end(), own.begin(), own.end());
  }
}

}  // namespace gristmill::text_apps::tagging
