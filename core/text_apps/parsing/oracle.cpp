// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/parsing/oracle.hpp"

#include <algorithm>

namespace gristmill::text_apps::parsing {

namespace {

// Every head stands right of its dependents.
bool is_head_final(const Tree& tree) {
  for (Word word = 0; word < static_cast<Word>(tree.size()); ++word) {
    if (word != tree.root() && tree.head(word) < word) return false;
  }
  return true;
}

}  // namespace

Oracle::Oracle(System system, const Tree& tree) : system_(system), tree_(tree) {
  if (system != System::swap) {
    reachable_ = is_projective(tree) && (system < System::head_final || is_head_final(tree));
    return;
  }
  ranks_ = projective_ranks(tree);
  find_components();
}

Action Oracle::next(const Configuration& configuration) const {
  switch (system_) {
    case System::arc_standard:
    case System::swap:
      return next_standard(configuration);
    case System::arc_eager:
      return next_eager(configuration);
    case System::head_final:
    case System::cascade:
      break;
  }
  return next_final(configuration);
}

// All of its dependents are linked.
bool Oracle::is_complete(const Configuration& c, Word word) const {
  return static_cast<std::size_t>(c.lefts(word)) + static_cast<std::size_t>(c.rights(word)) ==
         tree_.dependents(word).size();
}

Action Oracle::next_standard(const Configuration& c) const {
  const Word top = c.stack(0);
  const Word below = c.stack(1);
  if (below != no_word) {
    if (tree_.head(below) == top && is_complete(c, below)) return {Move::left, tree_.relation(below)};
    if (tree_.head(top) == below && is_complete(c, top)) return {Move::right, tree_.relation(top)};
    if (system_ == System::swap && shall_swap(c)) return {Move::swap, no_relation};
  }
  return {Move::shift, no_relation};
}

// As late as can be: not while the top may still be joined to what comes next (Nivre, Kuhlmann and Hall 2009).
bool Oracle::shall_swap(const Configuration& c) const {
  const auto top = static_cast<std::size_t>(c.stack(0));
  if (ranks_[top] > ranks_[static_cast<std::size_t>(c.stack(1))]) return false;
  const Word next = c.buffer(0);
  return next == no_word || components_[top] != components_[static_cast<std::size_t>(next)];
}

// What the same system links as long as it does not swap.
void Oracle::find_components() {
  Configuration c;
  begin(System::arc_standard, c, tree_.size());
  components_.assign(tree_.size(), no_word);
  while (true) {
    const bool pair = c.stack_size() >= 2;
    const Word top = c.stack(0);
    const Word below = c.stack(1);
    if (pair && tree_.head(below) == top && is_complete(c, below)) {
      take(System::arc_standard, c, {Move::left, no_relation});
    } else if (pair && tree_.head(top) == below && is_complete(c, top)) {
      take(System::arc_standard, c, {Move::right, no_relation});
    } else if (c.buffer_size() > 0) {
      take(System::arc_standard, c, {Move::shift, no_relation});
    } else {
      break;
    }
  }
  for (std::size_t i = 0; i < components_.size(); ++i) {
    auto word = static_cast<Word>(i);
    std::vector<Word> path;
    while (components_[static_cast<std::size_t>(word)] == no_word && c.has_head(word)) {
      path.push_back(word);
      word = c.head(word);
    }
    Word& top = components_[static_cast<std::size_t>(word)];
    if (top == no_word) top = word;
    for (const Word passed : path) components_[static_cast<std::size_t>(passed)] = top;
  }
}

Action Oracle::next_eager(const Configuration& c) const {
  const Word top = c.stack(0);
  const Word next = c.buffer(0);
  if (tree_.head(top) == next) return {Move::left, tree_.relation(top)};
  if (tree_.head(next) == top) return {Move::right, tree_.relation(next)};
  const std::span<const Word> dependents = tree_.dependents(next);
  const bool head_is_below = tree_.head(next) != no_word && tree_.head(next) < top;
  const bool dependent_is_below = !dependents.empty() && dependents.front() < top;
  if (c.has_head(top) && (head_is_below || dependent_is_below)) return {Move::reduce, no_relation};
  return {Move::shift, no_relation};
}

Action Oracle::next_final(const Configuration& c) const {
  const Word word = c.stack(0);
  if (tree_.head(word) == c.buffer(0)) return {Move::left, tree_.relation(word)};
  return {Move::shift, no_relation};
}

// --- the dynamic oracle ------------------------------------------------------------------------------------------

namespace {

// Where words are: words without a head on the stack can still get one; those in the buffer can do anything.
class Whereabouts {
 public:
  explicit Whereabouts(const Configuration& c) : c_(c), places_(c.size(), Place::gone) {
    for (const Word word : c.whole_stack()) places_[static_cast<std::size_t>(word)] = Place::stack;
    for (std::size_t i = 0; i < c.buffer_size(); ++i) places_[static_cast<std::size_t>(c.buffer(i))] = Place::buffer;
  }

  // The root's head is a place behind the buffer.
  [[nodiscard]] bool head_in_buffer(Word head) const { return head == no_word || at(head) == Place::buffer; }
  [[nodiscard]] bool head_on_stack(Word head) const { return head != no_word && at(head) == Place::stack; }

  [[nodiscard]] std::int32_t waiting_in_buffer(std::span<const Word> dependents) const {
    return count(dependents, Place::buffer);
  }
  [[nodiscard]] std::int32_t waiting_on_stack(std::span<const Word> dependents) const {
    return count(dependents, Place::stack);
  }

 private:
  enum class Place : std::uint8_t { gone, stack, buffer };

  [[nodiscard]] Place at(Word word) const { return places_[static_cast<std::size_t>(word)]; }
  [[nodiscard]] std::int32_t count(std::span<const Word> words, Place place) const {
    return static_cast<std::int32_t>(
        std::ranges::count_if(words, [&](Word word) { return at(word) == place && !c_.has_head(word); }));
  }

  const Configuration& c_;
  std::vector<Place> places_;
};

}  // namespace

std::array<std::int32_t, move_count> eager_costs(const Configuration& c, const Tree& tree) {
  const Whereabouts where(c);
  const Word top = c.stack(0);
  const Word next = c.buffer(0);
  const Word head_of_top = tree.head(top);
  const Word head_of_next = tree.head(next);
  const std::int32_t of_top = where.waiting_in_buffer(tree.dependents(top));
  const std::int32_t of_next = where.waiting_on_stack(tree.dependents(next));
  std::array<std::int32_t, move_count> costs{};
  const auto cost_of = [&](Move move) -> std::int32_t& { return costs[static_cast<std::size_t>(move)]; };
  cost_of(Move::left) = of_top + static_cast<std::int32_t>(head_of_top != next && where.head_in_buffer(head_of_top));
  cost_of(Move::right) =
      of_next + static_cast<std::int32_t>(head_of_next != top &&
                                          (where.head_on_stack(head_of_next) || where.head_in_buffer(head_of_next)));
  cost_of(Move::reduce) = of_top;
  cost_of(Move::shift) = of_next + static_cast<std::int32_t>(where.head_on_stack(head_of_next));
  return costs;
}

std::int32_t eager_relation(const Configuration& c, const Tree& tree, Move move) {
  const Word top = c.stack(0);
  const Word next = c.buffer(0);
  if (move == Move::left && tree.head(top) == next) return tree.relation(top);
  if (move == Move::right && tree.head(next) == top) return tree.relation(next);
  return no_relation;
}

}  // namespace gristmill::text_apps::parsing
