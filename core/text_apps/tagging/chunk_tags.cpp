// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/tagging/chunk_tags.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

namespace gristmill::text_apps::tagging {
namespace {

constexpr std::string_view kind_letters = "OBIES";  // by kind

struct NamedScheme {
  std::string_view name;
  ChunkScheme scheme;
  std::string_view kinds;  // that it uses
};

constexpr std::array schemes{
    NamedScheme{"IOB1", ChunkScheme::iob1, "BI"},     NamedScheme{"IOB2", ChunkScheme::iob2, "BI"},
    NamedScheme{"IOE1", ChunkScheme::ioe1, "IE"},     NamedScheme{"IOE2", ChunkScheme::ioe2, "IE"},
    NamedScheme{"BIOES", ChunkScheme::bioes, "BIES"},
};

std::optional<ChunkKind> kind_of(char letter) {
  if (letter == 'U') letter = 'S';
  if (letter == 'L') letter = 'E';
  const std::size_t at = kind_letters.find(letter);
  if (at == std::string_view::npos) return std::nullopt;
  return static_cast<ChunkKind>(at);
}

std::string tag_of(char kind, const std::string& type) {
  return type.empty() ? std::string(1, kind) : std::string(1, kind) + '-' + type;
}

bool opens(ChunkKind kind) { return kind == ChunkKind::begin || kind == ChunkKind::single; }

bool closes(ChunkKind kind) { return kind == ChunkKind::end || kind == ChunkKind::single; }

bool same_type_inside(ChunkTag tag, ChunkTag other) { return !other.outside() && other.type == tag.type; }

}  // namespace

ChunkScheme chunk_scheme(std::string_view name) {
  const auto found = std::ranges::find(schemes, name, &NamedScheme::name);
  if (found != schemes.end()) return found->scheme;
  throw std::invalid_argument("scheme must be IOB1, IOB2, IOE1, IOE2 or BIOES, got '" + std::string(name) + "'");
}

std::optional<SplitTag> split_chunk_tag(std::string_view tag) {
  if (tag.empty() || (tag.size() > 1 && tag[1] != '-')) return std::nullopt;
  const std::optional<ChunkKind> kind = kind_of(tag[0]);
  if (!kind || (*kind == ChunkKind::outside && tag.size() > 1)) return std::nullopt;
  return SplitTag{*kind, tag.substr(std::min<std::size_t>(tag.size(), 2))};
}

bool chunk_boundary(ChunkTag before, ChunkTag after) noexcept {
  return before.outside() || after.outside() || before.type != after.type || closes(before.kind) || opens(after.kind);
}

ChunkKind kind_in(ChunkScheme scheme, ChunkTag before, ChunkTag tag, ChunkTag after) noexcept {
  if (tag.outside()) return ChunkKind::outside;
  const bool first = chunk_boundary(before, tag);
  const bool last = chunk_boundary(tag, after);
  switch (scheme) {
    case ChunkScheme::iob1:
      return first && same_type_inside(tag, before) ? ChunkKind::begin : ChunkKind::inside;
    case ChunkScheme::iob2:
      return first ? ChunkKind::begin : ChunkKind::inside;
    case ChunkScheme::ioe1:
      return last && same_type_inside(tag, after) ? ChunkKind::end : ChunkKind::inside;
    case ChunkScheme::ioe2:
      return last ? ChunkKind::end : ChunkKind::inside;
    case ChunkScheme::bioes:
      break;
  }
  if (first) return last ? ChunkKind::single : ChunkKind::begin;
  return last ? ChunkKind::end : ChunkKind::inside;
}

bool may_follow(ChunkScheme scheme, ChunkTag before, ChunkTag tag) noexcept {
  switch (scheme) {
    case ChunkScheme::iob1:
    case ChunkScheme::iob2:
      return kind_in(scheme, before, tag, {}) == tag.kind;
    case ChunkScheme::ioe1:
    case ChunkScheme::ioe2:
      return kind_in(scheme, {}, before, tag) == before.kind;
    case ChunkScheme::bioes:
      break;
  }
  const bool boundary = chunk_boundary(before, tag);
  return (tag.outside() || opens(tag.kind) == boundary) && (before.outside() || closes(before.kind) == boundary);
}

ChunkTags::ChunkTags(std::span<const std::string> tags) {
  std::unordered_map<std::string_view, std::int32_t> numbers;
  for (const std::string& tag : tags) {
    const std::optional<SplitTag> split = split_chunk_tag(tag);
    if (!split) {
      throw std::invalid_argument("'" + tag + "' is not the tag of a chunk: wanted O, or one of B I E S, or one of " +
                                  "them with a type, as in B-NP");
    }
    if (split->kind == ChunkKind::outside) {
      tags_.push_back({});
      continue;
    }
    const auto [place, is_new] = numbers.try_emplace(split->type, static_cast<std::int32_t>(types_.size()));
    if (is_new) types_.emplace_back(split->type);
    tags_.push_back({split->kind, place->second});
  }
}

Chunks ChunkTags::chunks(std::span<const std::int32_t> numbers, std::span<const Offset> starts) const {
  Chunks chunks;
  for (std::size_t at = 0; at + 1 < starts.size(); ++at) {
    const auto length = static_cast<std::size_t>(starts[at + 1] - starts[at]);
    add_chunks(numbers.subspan(static_cast<std::size_t>(starts[at]), length), starts[at], chunks);
  }
  return chunks;
}

void ChunkTags::add_chunks(std::span<const std::int32_t> sentence, Offset start, Chunks& chunks) const {
  ChunkTag before;
  for (std::size_t at = 0; at < sentence.size(); ++at) {
    const ChunkTag tag = (*this)[sentence[at]];
    const Offset token = start + static_cast<Offset>(at);
    if (!tag.outside() && chunk_boundary(before, tag)) {
      chunks.first.push_back(token);
      chunks.last.push_back(token);
      chunks.type.push_back(tag.type);
    } else if (!tag.outside()) {
      chunks.last.back() = token;
    }
    before = tag;
  }
}

TagConverter::TagConverter(std::span<const std::string> tags, ChunkScheme scheme) : tags_(tags), scheme_(scheme) {
  numbers_.assign(tags_.types().size(), {});
  if (std::ranges::find(tags, "O") != tags.end()) names_.emplace_back("O");
  const std::string_view used = std::ranges::find(schemes, scheme, &NamedScheme::scheme)->kinds;
  for (std::size_t type = 0; type < tags_.types().size(); ++type) {
    for (const char letter : used) {
      numbers_[type][kind_letters.find(letter)] = static_cast<std::int32_t>(names_.size());
      names_.push_back(tag_of(letter, tags_.types()[type]));
    }
  }
}

void TagConverter::convert(std::span<const std::int32_t> sentence, std::span<std::int32_t> out) const {
  ChunkTag before;
  ChunkTag tag = sentence.empty() ? ChunkTag{} : tags_[sentence[0]];
  for (std::size_t at = 0; at < sentence.size(); ++at) {
    const ChunkTag after = at + 1 < sentence.size() ? tags_[sentence[at + 1]] : ChunkTag{};
    const auto kind = static_cast<std::size_t>(kind_in(scheme_, before, tag, after));
    out[at] = tag.outside() ? outside : numbers_[static_cast<std::size_t>(tag.type)][kind];
    before = tag;
    tag = after;
  }
}

}  // namespace gristmill::text_apps::tagging
