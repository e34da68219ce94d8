// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/parsing/pseudo_projective.hpp"

#include <algorithm>
#include <cstdlib>
#include <deque>

#include "base/errors.hpp"

namespace gristmill::text_apps::parsing {
namespace {

bool is_above(std::span<const Word> heads, Word above, Word word) {
  while (word != no_word && word != above) word = heads[static_cast<std::size_t>(word)];
  return word == above;
}

// Whether all words between a word and its head are below that head.
bool is_projective_arc(std::span<const Word> heads, Word word) {
  const Word head = heads[static_cast<std::size_t>(word)];
  for (Word between = std::min(word, head) + 1; between < std::max(word, head); ++between) {
    if (!is_above(heads, head, between)) return false;
  }
  return true;
}

// The shortest arc that crosses another, by its dependent; of equals the first one.
Word shortest_crossing(std::span<const Word> heads) {
  Word found = no_word;
  Word least = 0;
  for (Word word = 0; word < static_cast<Word>(heads.size()); ++word) {
    const Word head = heads[static_cast<std::size_t>(word)];
    if (head == no_word) continue;
    const Word length = std::abs(head - word);
    if ((found == no_word || length < least) && !is_projective_arc(heads, word)) {
      found = word;
      least = length;
    }
  }
  return found;
}

}  // namespace

Lifted lift(const Tree& tree, Observer& observer) {
  const std::size_t size = tree.size();
  Lifted lifted{std::vector<Word>(size), std::vector<Word>(size, no_word), std::vector<std::uint8_t>(size, 0)};
  for (std::size_t i = 0; i < size; ++i) lifted.heads[i] = tree.head(static_cast<Word>(i));
  if (is_projective(tree)) return lifted;
  for (Word word = shortest_crossing(lifted.heads); word != no_word; word = shortest_crossing(lifted.heads)) {
    const auto at = static_cast<std::size_t>(word);
    const auto head = static_cast<std::size_t>(lifted.heads[at]);
    lifted.from[at] = tree.head(word);
    lifted.way[head] = 1;
    lifted.heads[at] = lifted.heads[head];
    require(observer, 0, size);
  }
  return lifted;
}

// --- the way back ------------------------------------------------------------------------------------------------

namespace {

class Lowering {
 public:
  Lowering(std::span<const Mark> marks, std::span<Word> heads, std::span<const std::int32_t> relations)
      : marks_(marks), heads_(heads), relations_(relations), tree_(heads, relations) {}

  void run() {
    for (Word word = 0; word < static_cast<Word>(heads_.size()); ++word) {
      if (mark_of(word) == nullptr || !mark_of(word)->lifted) continue;
      const Word head = mark_of(word)->head != no_relation ? by_relation(word) : by_way(word);
      if (head == heads_[static_cast<std::size_t>(word)]) continue;
      heads_[static_cast<std::size_t>(word)] = head;
      tree_ = Tree(heads_, relations_);
    }
  }

 private:
  // The root has a relation that no machine gave it.
  [[nodiscard]] const Mark* mark_of(Word word) const {
    const std::int32_t relation = relations_[static_cast<std::size_t>(word)];
    return relation == no_relation ? nullptr : &marks_[static_cast<std::size_t>(relation)];
  }

  // From the head it has downwards, level by level: the first one that has the relation and is on a way that words were
  // lifted along; or, where no such way is marked, the first one that has the relation.
  [[nodiscard]] Word by_relation(Word word) const {
    const Word marked = search(word, true);
    const Word found = marked != no_word ? marked : search(word, false);
    return found != no_word ? found : heads_[static_cast<std::size_t>(word)];
  }

  [[nodiscard]] Word search(Word word, bool marked_only) const {
    std::deque<Word> open{heads_[static_cast<std::size_t>(word)]};
    while (!open.empty()) {
      for (const Word below : tree_.dependents(open.front())) {
        const Mark* mark = mark_of(below);
        if (below == word || (marked_only && !mark->way)) continue;
        if (mark->relation == mark_of(word)->head) return below;
        open.push_back(below);
      }
      open.pop_front();
    }
    return no_word;
  }

  // Down along the marked way, as far as it goes.
  [[nodiscard]] Word by_way(Word word) const {
    Word head = heads_[static_cast<std::size_t>(word)];
    while (true) {
      const std::span<const Word> dependents = tree_.dependents(head);
      const auto next = std::ranges::find_if(dependents, [&](Word w) { return w != word && mark_of(w)->way; });
      if (next == dependents.end()) return head;
      head = *next;
    }
  }

  std::span<const Mark> marks_;
  std::span<Word> heads_;
  std::span<const std::int32_t> relations_;
  Tree tree_;
};

}  // namespace

void lower(std::span<const Mark> marks, std::span<Word> heads, std::span<std::int32_t> relations) {
  const auto is_lifted = [&](std::int32_t r) { return r != no_relation && marks[static_cast<std::size_t>(r)].lifted; };
  if (std::ranges::any_of(relations, is_lifted)) Lowering(marks, heads, relations).run();
  for (std::int32_t& relation : relations) {
    if (relation != no_relation) relation = marks[static_cast<std::size_t>(relation)].relation;
  }
}

}  // namespace gristmill::text_apps::parsing
