// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/parsing/configuration.hpp"

#include <algorithm>

namespace gristmill::text_apps::parsing {

void Configuration::begin(std::size_t words) {
  stack_.clear();
  buffer_.resize(words);
  for (std::size_t i = 0; i < words; ++i) buffer_[i] = static_cast<Word>(words - 1 - i);
  heads_.assign(words, no_word);
  relations_.assign(words, no_relation);
  family_.assign(words, {});
  has_unread_ = false;
}

Word Configuration::second_left(Word word) const {
  const Word first = leftmost(word);
  return first == no_word ? no_word : left_of(word, family_[at(first)].after);
}

Word Configuration::second_right(Word word) const {
  const Word last = rightmost(word);
  return last == no_word ? no_word : right_of(word, family_[at(last)].before);
}

void Configuration::push() {
  stack_.push_back(buffer_.back());
  buffer_.pop_back();
}

void Configuration::unread() {
  has_unread_ = true;
  buffer_.push_back(stack_.back());
  stack_.pop_back();
}

void Configuration::unread_second() {
  buffer_.push_back(stack_[stack_.size() - 2]);
  pop_second();
}

void Configuration::link(Word head, Word dependent, std::int32_t relation) {
  heads_[at(dependent)] = head;
  relations_[at(dependent)] = relation;
  Family& own = family_[at(head)];
  ++(dependent < head ? own.lefts : own.rights);
  join_family(head, dependent);
}

// Dependents are linked in the order of the text; a new one is nearly always outermost.
void Configuration::join_family(Word head, Word dependent) {
  Family& own = family_[at(head)];
  Word after = own.first;
  if (own.last != no_word && own.last < dependent) after = no_word;
  while (after != no_word && after < dependent) after = family_[at(after)].after;
  const Word before = after == no_word ? own.last : family_[at(after)].before;
  family_[at(dependent)].before = before;
  family_[at(dependent)].after = after;
  (before == no_word ? own.first : family_[at(before)].after) = dependent;
  (after == no_word ? own.last : family_[at(after)].before) = dependent;
}

void Configuration::rewind(std::span<const Word> words) {
  stack_.clear();
  buffer_.assign(words.rbegin(), words.rend());
}

}  // namespace gristmill::text_apps::parsing
