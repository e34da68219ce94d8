// SPDX-License-Identifier: BSD-3-Clause
// A dependency tree as it is known: heads and relations of words, and what follows from them.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "base/lists.hpp"
#include "text_apps/parsing/configuration.hpp"

namespace gristmill::text_apps::parsing {

// Heads are words, no_word for the root.
class Tree {
 public:
  Tree(std::span<const Word> heads, std::span<const std::int32_t> relations);

  [[nodiscard]] std::size_t size() const noexcept { return heads_.size(); }
  [[nodiscard]] Word head(Word word) const { return heads_[static_cast<std::size_t>(word)]; }
  [[nodiscard]] std::int32_t relation(Word word) const { return relations_[static_cast<std::size_t>(word)]; }
  [[nodiscard]] std::span<const Word> dependents(Word word) const {
    return dependents_[static_cast<std::size_t>(word)];
  }
  [[nodiscard]] Word root() const noexcept { return root_; }

 private:
  std::span<const Word> heads_;
  std::span<const std::int32_t> relations_;
  Lists<Word> dependents_;  // of each word, in their order
  Word root_ = no_word;
};

// What is wrong with heads that are no tree with one root, and the word where it shows; nothing is wrong with no words.
struct TreeFault {
  Word word = no_word;
  std::string what;

  explicit operator bool() const noexcept { return word != no_word; }
};
[[nodiscard]] TreeFault fault_of(std::span<const Word> heads);

// Ranks of words if every word stood between its left and its right dependents and those never apart: 0, 1, ... exactly
// where the tree is projective.
[[nodiscard]] std::vector<Word> projective_ranks(const Tree& tree);
[[nodiscard]] bool is_projective(const Tree& tree);

}  // namespace gristmill::text_apps::parsing
