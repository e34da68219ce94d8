// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/boundaries/word_comb.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "score/expanded/comb.hpp"

namespace gristmill::text_apps::boundaries {
namespace {

using Node = EdgeMap::Node;

struct Edge {
  Node parent;
  Letter letter;
  Node child;
};

// The tree while it grows.
struct WordTree {
  EdgeMap nodes;
  std::vector<Edge> edges;  // by child, from 1 on
  std::vector<std::uint8_t> is_word{0};

  void add(std::string_view word, const Alphabet& alphabet) {
    Node node = 0;
    for (std::size_t at = 0; at < word.size(); at += text::width_of(word[at])) {
      const Letter letter = alphabet.of(text::first_of(word.substr(at)));
      const Node child = nodes.make(node, letter);
      if (child == is_word.size()) {
        edges.push_back({node, letter, child});
        is_word.push_back(0);
      }
      node = child;
    }
    is_word[node] = 1;
  }
};

}  // namespace

WordComb::WordComb(const tagging::Dictionary& dictionary, const Alphabet& alphabet, Observer& observer)
    : longest_(dictionary.longest()) {
  WordTree tree;
  for (std::uint32_t id = 0; id < dictionary.words().size(); ++id) {
    tree.add({dictionary.words()[id].data(), dictionary.words()[id].size()}, alphabet);
  }
  std::ranges::sort(tree.edges, {}, [](const Edge& edge) { return std::pair(edge.parent, edge.letter); });
  constexpr std::uint32_t none = UINT32_MAX;
  std::vector<std::uint32_t> row_of(tree.is_word.size(), none);  // of nodes with children
  score::expanded::CombRows rows;
  for (std::size_t at = 0; at < tree.edges.size(); ++at) {
    rows.columns.push_back(tree.edges[at].letter);
    if (at + 1 < tree.edges.size() && tree.edges[at + 1].parent == tree.edges[at].parent) continue;
    row_of[tree.edges[at].parent] = static_cast<std::uint32_t>(rows.size());
    rows.end_row();
  }
  const score::expanded::Packing packing = score::expanded::pack(rows, alphabet.size(), observer);
  const auto shift_of = [&](Node node) { return row_of[node] == none ? 0 : packing.shift[row_of[node]]; };
  slots_.resize(packing.slots);
  for (const Edge& edge : tree.edges) {
    slots_[shift_of(edge.parent) + edge.letter] = {shift_of(edge.child), edge.letter, tree.is_word[edge.child] != 0};
  }
  root_ = shift_of(0);
}

void WordComb::look(std::span<const Letter> letters, std::span<const std::uint8_t> walls,
                    std::span<tagging::Dictionary::Facts> facts) const {
  for (std::size_t begin = 0; begin < letters.size(); ++begin) {
    std::uint32_t shift = root_;
    tagging::mark_words(begin, walls, longest_, facts, [&](std::size_t at) -> tagging::WordStep {
      const Slot slot = slots_[shift + letters[at]];
      shift = slot.shift;
      return {slot.letter == letters[at], slot.is_word};
    });
  }
}

}  // namespace gristmill::text_apps::boundaries
