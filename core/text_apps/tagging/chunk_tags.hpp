// SPDX-License-Identifier: BSD-3-Clause
// Chunks as tags of tokens (Ramshaw and Marcus 1995; Tjong Kim Sang and Veenstra 1999): B-NP, I-NP, E-NP, S-NP, O.
//
// What a sequence of tags means is what conlleval, the script of CoNLL-2000, says, whatever the scheme, and however
// ill-formed. A token is outside of all chunks if its tag is O. Between two tokens inside there is a boundary if
//   - their types differ, or
//   - the second one is B or S, or
//   - the first one is E or S.
// Chunks are the longest runs of tokens without O and without a boundary. The script does not know S, and sees no
// boundary where B follows E of the same type; no scheme that it serves has both.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"

namespace gristmill::text_apps::tagging {

enum class ChunkKind : std::uint8_t { outside, begin, inside, end, single };

//          first token    last token     the only token   others
//   IOB1   B if the chunk follows another of the same type, I otherwise
//   IOB2   B              I              B                I
//   IOE1   E if the chunk is followed by another of the same type, I otherwise
//   IOE2   I              E              E                I
//   BIOES  B              E              S                I
enum class ChunkScheme : std::uint8_t { iob1, iob2, ioe1, ioe2, bioes };

// By its name in capitals. Throws std::invalid_argument for others.
[[nodiscard]] ChunkScheme chunk_scheme(std::string_view name);

struct ChunkTag {
  ChunkKind kind = ChunkKind::outside;
  std::int32_t type = -1;  // none where it is outside

  [[nodiscard]] bool outside() const noexcept { return kind == ChunkKind::outside; }
};

// "B-NP", or "B" without a type; U and L of BILOU are read as S and E. Nothing if it is not such a tag.
struct SplitTag {
  ChunkKind kind;
  std::string_view type;
};
[[nodiscard]] std::optional<SplitTag> split_chunk_tag(std::string_view tag);

// Whether what is inside is not in the same chunk on either side.
[[nodiscard]] bool chunk_boundary(ChunkTag before, ChunkTag after) noexcept;

// Whether a scheme has this tag behind that one: both have their kinds, as far as the pair decides. Outside beyond the
// ends. A sentence is spelled as the scheme wants if all of its pairs are, those with its ends included.
[[nodiscard]] bool may_follow(ChunkScheme scheme, ChunkTag before, ChunkTag tag) noexcept;

// The kind that a token has in another scheme, which depends on its neighbours only (outside beyond the ends).
[[nodiscard]] ChunkKind kind_in(ChunkScheme scheme, ChunkTag before, ChunkTag tag, ChunkTag after) noexcept;

struct Chunks {
  std::vector<Offset> first;  // tokens, counted over all sentences
  std::vector<Offset> last;
  std::vector<std::int32_t> type;
};

// A list of tags whose numbers stand for them. Immutable.
class ChunkTags {
 public:
  // Throws std::invalid_argument for a tag that is not one of chunks.
  explicit ChunkTags(std::span<const std::string> tags);

  [[nodiscard]] std::size_t size() const noexcept { return tags_.size(); }
  [[nodiscard]] ChunkTag operator[](std::int32_t number) const { return tags_[static_cast<std::size_t>(number)]; }
  // In the order of their first tags.
  [[nodiscard]] const std::vector<std::string>& types() const noexcept { return types_; }

  // numbers: of tags; starts: where sentences start, and where the last one ends. In the order of the text.
  [[nodiscard]] Chunks chunks(std::span<const std::int32_t> numbers, std::span<const Offset> starts) const;

 private:
  void add_chunks(std::span<const std::int32_t> sentence, Offset start, Chunks& chunks) const;

  std::vector<ChunkTag> tags_;
  std::vector<std::string> types_;
};

// Tags of any scheme, and ill-formed ones, as tags of one scheme for the same chunks. Immutable; threads share it.
class TagConverter {
 public:
  TagConverter(std::span<const std::string> tags, ChunkScheme scheme);

  // What the converted numbers stand for: O, if it was among the tags, then all kinds of the scheme for each type.
  [[nodiscard]] const std::vector<std::string>& tags() const noexcept { return names_; }
  [[nodiscard]] std::size_t inputs() const noexcept { return tags_.size(); }

  // One sentence. `out` is as long and may be the same memory.
  void convert(std::span<const std::int32_t> sentence, std::span<std::int32_t> out) const;

 private:
  static constexpr std::size_t kinds = 5;
  static constexpr std::int32_t outside = 0;  // the number of O

  ChunkTags tags_;
  ChunkScheme scheme_;
  std::vector<std::string> names_;
  std::vector<std::array<std::int32_t, kinds>> numbers_;  // by type, then kind
};

}  // namespace gristmill::text_apps::tagging
