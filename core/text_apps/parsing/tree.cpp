// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/parsing/tree.hpp"

#include <algorithm>

namespace gristmill::text_apps::parsing {

Tree::Tree(std::span<const Word> heads, std::span<const std::int32_t> relations)
    : heads_(heads), relations_(relations) {
  // no_word, the head of the root, is no word's number.
  const auto head_of = [&](std::size_t word) { return static_cast<std::size_t>(heads[word]); };
  const auto word_of = [](std::size_t word) { return static_cast<Word>(word); };
  dependents_ = Lists<Word>::grouped(heads.size(), heads.size(), head_of, word_of);
  for (std::size_t word = 0; word < heads.size(); ++word) {
    if (heads[word] == no_word) root_ = static_cast<Word>(word);
  }
}

namespace {

// A word on a cycle, or no_word. Every word is walked over twice at most.
Word word_on_cycle(std::span<const Word> heads) {
  std::vector<Word> seen_from(heads.size(), no_word);
  for (std::size_t i = 0; i < heads.size(); ++i) {
    auto word = static_cast<Word>(i);
    while (word != no_word && seen_from[static_cast<std::size_t>(word)] == no_word) {
      seen_from[static_cast<std::size_t>(word)] = static_cast<Word>(i);
      word = heads[static_cast<std::size_t>(word)];
    }
    if (word != no_word && seen_from[static_cast<std::size_t>(word)] == static_cast<Word>(i)) return word;
  }
  return no_word;
}

std::string numbered(Word word) { return std::to_string(std::int64_t{word} + 1); }

}  // namespace

TreeFault fault_of(std::span<const Word> heads) {
  const auto size = static_cast<Word>(heads.size());
  Word root = no_word;
  for (Word word = 0; word < size; ++word) {
    const Word head = heads[static_cast<std::size_t>(word)];
    if (head < no_word || head >= size) {
      return {word, "the head " + numbered(head) + " is no word of a sentence of " + std::to_string(size)};
    }
    if (head == word) return {word, "word " + numbered(word) + " is its own head"};
    if (head != no_word) continue;
    if (root != no_word) return {word, "words " + numbered(root) + " and " + numbered(word) + " are both roots"};
    root = word;
  }
  if (const Word word = word_on_cycle(heads); word != no_word) {
    return {word, "word " + numbered(word) + " depends on itself through its heads"};
  }
  return {};
}

std::vector<Word> projective_ranks(const Tree& tree) {
  std::vector<Word> ranks(tree.size(), 0);
  if (tree.size() == 0) return ranks;
  Word next = 0;
  struct Visit {
    Word word;
    std::size_t done;  // dependents
    bool ranked;
  };
  std::vector<Visit> open{{tree.root(), 0, false}};
  while (!open.empty()) {
    Visit& visit = open.back();
    const std::span<const Word> dependents = tree.dependents(visit.word);
    const bool has_next = visit.done < dependents.size();
    if (!visit.ranked && (!has_next || dependents[visit.done] > visit.word)) {
      ranks[static_cast<std::size_t>(visit.word)] = next++;
      visit.ranked = true;
    } else if (has_next) {
      const Word dependent = dependents[visit.done++];
      open.push_back({dependent, 0, false});
    } else {
      open.pop_back();
    }
  }
  return ranks;
}

bool is_projective(const Tree& tree) {
  const std::vector<Word> ranks = projective_ranks(tree);
  return std::ranges::is_sorted(ranks);
}

}  // namespace gristmill::text_apps::parsing
