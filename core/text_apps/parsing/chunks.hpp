// SPDX-License-Identifier: BSD-3-Clause
// Chunks of words for parsers of head-final languages, such as the bunsetsu of Japanese: a content word with the words
// that hang on it directly beside it. Every chunk has one head word, on which all its other words depend; between
// chunks there are links, from a chunk's head word to the head word of another one.
//
// A tag of each word says whether a chunk begins with it, and where in the chunk its head is; so that a tagger finds
// chunks and what is inside of them at once.
#pragma once
#include <array>
#include <span>
#include <vector>

#include "text/columns.hpp"
#include "text_apps/parsing/configuration.hpp"

namespace gristmill::text_apps::parsing {

struct ChunkTag {
  bool begins = false;                  // a chunk
  std::int32_t relation = no_relation;  // no_relation: the word is the head of its chunk
  std::int32_t away = 0;                // its head, counted from it; 0: the head of its chunk
};

constexpr std::int32_t farthest_tag = 3;  // heads further away count as the chunk's head

class Chunks {
 public:
  // A chunk as a token has cells of these words, each as words have them (form, lemma, upos, xpos, feats).
  enum class Role : std::uint8_t {
    head,
    last,    // function word behind the head
    prior,   // function word before the last
    before,  // in front of the head
    first,   // of the chunk, if it is not the head
    mark,    // punctuation, the last behind the head
  };
  static constexpr std::size_t role_count = 6;

  // fallback: the relation of words that only claim to be heads. Sentences of tags that fit nothing give chunks too.
  static Chunks of_tags(const text::Columns& words, std::span<const ChunkTag> tags, std::int32_t fallback);

  // joins: of each relation, 1 if it joins a word to a head on its left, 2 to one on its right, 3 both. All that stands
  // between two words that are joined is in their chunk. Heads are those of trees.
  static Chunks of_trees(const text::Columns& words, std::span<const Word> heads,
                         std::span<const std::int32_t> relations, std::span<const std::uint8_t> joins);

  [[nodiscard]] std::size_t size() const noexcept { return tops_.size(); }
  [[nodiscard]] std::span<const std::size_t> starts() const noexcept { return starts_; }  // first words, and the end
  [[nodiscard]] std::span<const std::size_t> tops() const noexcept { return tops_; }      // head words
  [[nodiscard]] std::vector<ChunkTag> tags() const;

  // A token for each chunk; it borrows the words.
  [[nodiscard]] text::Columns columns(const text::Columns& words) const;

  // Which chunk each chunk depends on in these trees, within its sentence; no_word for the root's.
  [[nodiscard]] std::vector<Word> links(std::span<const Word> heads) const;
  [[nodiscard]] std::vector<std::int32_t> relations_of_links(std::span<const std::int32_t> relations) const;

  // Whether each is a chunk of its sentence, or no_word.
  [[nodiscard]] bool are_links(std::span<const Word> links) const;

  // Heads and relations of words, given those of chunks.
  void compose(std::span<const Word> links, std::span<const std::int32_t> relations, std::span<Word> heads,
               std::span<std::int32_t> word_relations) const;

 private:
  void find_inside(std::span<const Word> heads, std::span<const std::int32_t> relations);
  void settle_chunk(std::span<const ChunkTag> tags, std::size_t chunk, std::int32_t fallback);
  [[nodiscard]] std::array<std::size_t, role_count> words_of_roles(const text::Columns& words, std::size_t chunk) const;

  std::vector<std::size_t> sentences_{0};     // first words of sentences, and the end
  std::vector<std::size_t> first_chunks_{0};  // of sentences, and the end
  std::vector<std::size_t> starts_{0};        // of chunks
  std::vector<std::size_t> tops_;             // the head words of chunks
  std::vector<std::size_t> heads_;            // inside; of a head word itself
  std::vector<std::int32_t> relations_;       // no_relation of head words
};

}  // namespace gristmill::text_apps::parsing
