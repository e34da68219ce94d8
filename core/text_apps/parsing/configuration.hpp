// SPDX-License-Identifier: BSD-3-Clause
// The state of a transition-based parser: a stack, a buffer, and the arcs so far.
//
// There is no artificial root: the word that is left without a head is the root.
//
// Cost: every operation is O(1); a link walks over siblings only where arcs come out of order, as after swaps.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace gristmill::text_apps::parsing {

using Word = std::int32_t;  // its position in the sentence
constexpr Word no_word = -1;
constexpr std::int32_t no_relation = -1;

class Configuration {
 public:
  // All words are in the buffer, in their order.
  void begin(std::size_t words);

  [[nodiscard]] std::size_t size() const noexcept { return heads_.size(); }
  [[nodiscard]] std::size_t stack_size() const noexcept { return stack_.size(); }
  [[nodiscard]] std::size_t buffer_size() const noexcept { return buffer_.size(); }
  // From the top, or from the next one; no_word where there is none.
  [[nodiscard]] Word stack(std::size_t depth) const { return from_end(stack_, depth); }
  [[nodiscard]] Word buffer(std::size_t depth) const { return from_end(buffer_, depth); }
  [[nodiscard]] std::span<const Word> whole_stack() const noexcept { return stack_; }  // the top is last

  [[nodiscard]] bool has_head(Word word) const { return heads_[at(word)] != no_word; }
  [[nodiscard]] Word head(Word word) const { return heads_[at(word)]; }
  [[nodiscard]] std::span<const Word> heads() const noexcept { return heads_; }
  [[nodiscard]] std::span<const std::int32_t> relations() const noexcept { return relations_; }

  // Dependents so far: outermost ones, how many, and neighbours among those of one head.
  [[nodiscard]] Word leftmost(Word word) const { return left_of(word, family_[at(word)].first); }
  [[nodiscard]] Word rightmost(Word word) const { return right_of(word, family_[at(word)].last); }
  [[nodiscard]] Word second_left(Word word) const;
  [[nodiscard]] Word second_right(Word word) const;
  [[nodiscard]] Word sibling_before(Word word) const { return family_[at(word)].before; }
  [[nodiscard]] Word sibling_after(Word word) const { return family_[at(word)].after; }
  [[nodiscard]] std::int32_t lefts(Word word) const { return family_[at(word)].lefts; }
  [[nodiscard]] std::int32_t rights(Word word) const { return family_[at(word)].rights; }

  // True once a word has gone back from the stack to an empty buffer.
  [[nodiscard]] bool has_unread() const noexcept { return has_unread_; }

  void push();                                           // the next word of the buffer goes on the stack
  void pop() { stack_.pop_back(); }                      // the top is gone
  void pop_second() { stack_.erase(stack_.end() - 2); }  // what is below it is gone
  void unread();                                         // the top goes back to the buffer
  void unread_second();                                  // what is below it goes back
  void link(Word head, Word dependent, std::int32_t relation);
  // Only these words are left, all in the buffer.
  void rewind(std::span<const Word> words);

 private:
  struct Family {
    Word first = no_word, last = no_word;    // dependents
    Word before = no_word, after = no_word;  // siblings
    std::int32_t lefts = 0, rights = 0;
  };

  [[nodiscard]] static std::size_t at(Word word) noexcept { return static_cast<std::size_t>(word); }
  [[nodiscard]] static Word from_end(const std::vector<Word>& list, std::size_t depth) {
    return depth < list.size() ? list[list.size() - 1 - depth] : no_word;
  }
  [[nodiscard]] static Word left_of(Word word, Word found) noexcept { return found < word ? found : no_word; }
  [[nodiscard]] static Word right_of(Word word, Word found) noexcept { return found > word ? found : no_word; }
  void join_family(Word head, Word dependent);

  std::vector<Word> stack_;   // the top is last
  std::vector<Word> buffer_;  // the next one is last
  std::vector<Word> heads_;
  std::vector<std::int32_t> relations_;
  std::vector<Family> family_;
  bool has_unread_ = false;
};

}  // namespace gristmill::text_apps::parsing
