// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/parsing/chunks.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "text_apps/parsing/conllu.hpp"

namespace gristmill::text_apps::parsing {
namespace {

constexpr std::size_t no_place = static_cast<std::size_t>(-1);

bool joins_here(std::uint8_t joins, bool head_is_left) { return (joins & (head_is_left ? 1U : 2U)) != 0; }

// Whether each word begins a chunk: where no arc that joins spans the border before it.
std::vector<std::uint8_t> borders(std::span<const Word> heads, std::span<const std::int32_t> relations,
                                  std::span<const std::uint8_t> joins) {
  std::vector<std::int32_t> rises(heads.size() + 1, 0);
  for (std::size_t i = 0; i < heads.size(); ++i) {
    if (heads[i] == no_word) continue;
    const auto word = static_cast<Word>(i);
    const Word head = heads[i];
    if (!joins_here(joins[static_cast<std::size_t>(relations[i])], head < word)) continue;
    ++rises[static_cast<std::size_t>(std::min(word, head)) + 1];
    --rises[static_cast<std::size_t>(std::max(word, head)) + 1];
  }
  std::vector<std::uint8_t> begins(heads.size());
  std::int32_t spans = 0;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    spans += rises[i];
    begins[i] = static_cast<std::uint8_t>(spans == 0);
  }
  return begins;
}

// Heads between a word and the root.
std::vector<Word> depths_of(std::span<const Word> heads) {
  constexpr Word unknown = -1;
  std::vector<Word> depths(heads.size(), unknown);
  std::vector<std::size_t> path;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    std::size_t word = i;
    while (depths[word] == unknown && heads[word] != no_word) {
      path.push_back(word);
      word = static_cast<std::size_t>(heads[word]);
    }
    Word depth = depths[word] == unknown ? depths[word] = 0 : depths[word];
    for (; !path.empty(); path.pop_back()) depths[path.back()] = ++depth;
  }
  return depths;
}

bool is_punctuation(std::string_view upos) { return upos == "PUNCT" || upos == "SYM"; }

}  // namespace

Chunks Chunks::of_trees(const text::Columns& words, std::span<const Word> heads,
                        std::span<const std::int32_t> relations, std::span<const std::uint8_t> joins) {
  Chunks chunks;
  chunks.starts_.clear();
  chunks.sentences_.assign(words.starts().begin(), words.starts().end());
  for (std::size_t sentence = 0; sentence < words.size(); ++sentence) {
    const std::size_t first = words.first_token(sentence);
    const std::size_t size = words.first_token(sentence + 1) - first;
    const auto begins = borders(heads.subspan(first, size), relations.subspan(first, size), joins);
    for (std::size_t i = 0; i < size; ++i) {
      if (begins[i] != 0) chunks.starts_.push_back(first + i);
    }
    chunks.first_chunks_.push_back(chunks.starts_.size());
  }
  chunks.starts_.push_back(words.tokens());
  chunks.find_inside(heads, relations);
  return chunks;
}

// The head word of a chunk is the one nearest to the root, of equals the first: so links are a tree, whatever crosses.
// Any other word whose head is outside, as in trees that cross themselves, hangs on it.
void Chunks::find_inside(std::span<const Word> heads, std::span<const std::int32_t> relations) {
  heads_.assign(heads.size(), no_place);
  relations_.assign(relations.begin(), relations.end());
  std::vector<Word> depths;
  std::size_t first = 0;  // word of the sentence that `depths` is of
  std::size_t sentence = 0;
  for (std::size_t chunk = 0; chunk + 1 < starts_.size(); ++chunk) {
    while (sentences_[sentence + 1] <= starts_[chunk]) ++sentence;
    if (depths.empty() || sentences_[sentence] != first) {
      first = sentences_[sentence];
      depths = depths_of(heads.subspan(first, sentences_[sentence + 1] - first));
    }
    std::size_t top = starts_[chunk];
    for (std::size_t word = top; word < starts_[chunk + 1]; ++word) {
      if (depths[word - first] < depths[top - first]) top = word;
    }
    tops_.push_back(top);
    relations_[top] = no_relation;
    for (std::size_t word = starts_[chunk]; word < starts_[chunk + 1]; ++word) {
      const std::size_t head = heads[word] == no_word ? no_place : first + static_cast<std::size_t>(heads[word]);
      const bool inside = head != no_place && head >= starts_[chunk] && head < starts_[chunk + 1];
      heads_[word] = inside ? head : top;
    }
  }
}

Chunks Chunks::of_tags(const text::Columns& words, std::span<const ChunkTag> tags, std::int32_t fallback) {
  Chunks chunks;
  chunks.starts_.clear();
  chunks.sentences_.assign(words.starts().begin(), words.starts().end());
  for (std::size_t sentence = 0; sentence < words.size(); ++sentence) {
    for (std::size_t word = words.first_token(sentence); word < words.first_token(sentence + 1); ++word) {
      if (tags[word].begins || word == words.first_token(sentence)) chunks.starts_.push_back(word);
    }
    chunks.first_chunks_.push_back(chunks.starts_.size());
  }
  chunks.starts_.push_back(words.tokens());
  chunks.tops_.resize(chunks.starts_.size() - 1);
  chunks.heads_.resize(words.tokens());
  chunks.relations_.resize(words.tokens());
  for (std::size_t chunk = 0; chunk < chunks.size(); ++chunk) chunks.settle_chunk(tags, chunk, fallback);
  return chunks;
}

// Of several head words the last one counts, of none the first word. A word whose way up does not come to the head word
// hangs on it.
void Chunks::settle_chunk(std::span<const ChunkTag> tags, std::size_t chunk, std::int32_t fallback) {
  const std::size_t begin = starts_[chunk];
  const std::size_t end = starts_[chunk + 1];
  std::size_t top = begin;
  for (std::size_t word = begin; word < end; ++word) {
    if (tags[word].relation == no_relation) top = word;
  }
  tops_[chunk] = top;
  for (std::size_t word = begin; word < end; ++word) {
    const auto head = static_cast<std::int64_t>(word) + tags[word].away;
    const bool inside = head >= static_cast<std::int64_t>(begin) && head < static_cast<std::int64_t>(end);
    heads_[word] = inside && tags[word].away != 0 ? static_cast<std::size_t>(head) : top;
    relations_[word] = tags[word].relation == no_relation ? fallback : tags[word].relation;
  }
  heads_[top] = top;
  relations_[top] = no_relation;
  for (std::size_t word = begin; word < end; ++word) {
    std::size_t above = word;
    for (std::size_t steps = begin; steps < end && above != top; ++steps) above = heads_[above];
    if (above != top) heads_[word] = top;
  }
}

std::vector<ChunkTag> Chunks::tags() const {
  std::vector<ChunkTag> tags(heads_.size());
  for (std::size_t chunk = 0; chunk < size(); ++chunk) {
    tags[starts_[chunk]].begins = true;
    for (std::size_t word = starts_[chunk]; word < starts_[chunk + 1]; ++word) {
      tags[word].relation = relations_[word];
      const auto away =
          static_cast<std::int32_t>(static_cast<std::int64_t>(heads_[word]) - static_cast<std::int64_t>(word));
      tags[word].away = heads_[word] == tops_[chunk] || std::abs(away) > farthest_tag ? 0 : away;
    }
  }
  return tags;
}

text::Columns Chunks::columns(const text::Columns& words) const {
  std::vector<std::string_view> cells;
  cells.reserve(size() * role_count * Conllu::column_count);
  for (std::size_t chunk = 0; chunk < size(); ++chunk) {
    for (const std::size_t word : words_of_roles(words, chunk)) {
      for (std::size_t column = 0; column < Conllu::column_count; ++column) {
        cells.push_back(word == no_place ? std::string_view() : words.cell(word, column));
      }
    }
  }
  return text::Columns::of_views(std::move(cells), role_count * Conllu::column_count, first_chunks_);
}

std::array<std::size_t, Chunks::role_count> Chunks::words_of_roles(const text::Columns& words,
                                                                   std::size_t chunk) const {
  std::array<std::size_t, role_count> found{};
  found.fill(no_place);
  const auto role = [&](Role one) -> std::size_t& { return found[static_cast<std::size_t>(one)]; };
  const std::size_t top = tops_[chunk];
  role(Role::head) = top;
  if (top > starts_[chunk]) {
    role(Role::before) = top - 1;
    role(Role::first) = starts_[chunk];
  }
  for (std::size_t word = top + 1; word < starts_[chunk + 1]; ++word) {
    if (is_punctuation(words.cell(word, Conllu::upos))) {
      role(Role::mark) = word;
    } else {
      role(Role::prior) = role(Role::last);
      role(Role::last) = word;
    }
  }
  return found;
}

std::vector<Word> Chunks::links(std::span<const Word> heads) const {
  std::vector<Word> links(size(), no_word);
  for (std::size_t sentence = 0; sentence + 1 < first_chunks_.size(); ++sentence) {
    const std::size_t first = first_chunks_[sentence];
    for (std::size_t chunk = first; chunk < first_chunks_[sentence + 1]; ++chunk) {
      const Word head = heads[tops_[chunk]];
      if (head == no_word) continue;
      const std::size_t word = sentences_[sentence] + static_cast<std::size_t>(head);
      const auto next = std::upper_bound(starts_.begin(), starts_.end(), word);
      links[chunk] = static_cast<Word>(static_cast<std::size_t>(next - starts_.begin()) - 1 - first);
    }
  }
  return links;
}

std::vector<std::int32_t> Chunks::relations_of_links(std::span<const std::int32_t> relations) const {
  std::vector<std::int32_t> found(size());
  for (std::size_t chunk = 0; chunk < size(); ++chunk) found[chunk] = relations[tops_[chunk]];
  return found;
}

bool Chunks::are_links(std::span<const Word> links) const {
  for (std::size_t sentence = 0; sentence + 1 < first_chunks_.size(); ++sentence) {
    const auto chunks = static_cast<Word>(first_chunks_[sentence + 1] - first_chunks_[sentence]);
    for (std::size_t chunk = first_chunks_[sentence]; chunk < first_chunks_[sentence + 1]; ++chunk) {
      if (links[chunk] < no_word || links[chunk] >= chunks) return false;
    }
  }
  return true;
}

void Chunks::compose(std::span<const Word> links, std::span<const std::int32_t> relations, std::span<Word> heads,
                     std::span<std::int32_t> word_relations) const {
  for (std::size_t sentence = 0; sentence + 1 < first_chunks_.size(); ++sentence) {
    const std::size_t begin = sentences_[sentence];
    for (std::size_t chunk = first_chunks_[sentence]; chunk < first_chunks_[sentence + 1]; ++chunk) {
      for (std::size_t word = starts_[chunk]; word < starts_[chunk + 1]; ++word) {
        heads[word] = static_cast<Word>(heads_[word] - begin);
        word_relations[word] = relations_[word];
      }
      const std::size_t top = tops_[chunk];
      const Word link = links[chunk];
      heads[top] = link == no_word
                       ? no_word
                       : static_cast<Word>(tops_[first_chunks_[sentence] + static_cast<std::size_t>(link)] - begin);
      word_relations[top] = relations[chunk];
    }
  }
}

}  // namespace gristmill::text_apps::parsing
