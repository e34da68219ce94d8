// SPDX-License-Identifier: BSD-3-Clause
// Forests and what is built on them, each against a few obvious lines.
#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "base/parallel.hpp"
#include "base/stop.hpp"
#include "forest/count_columns.hpp"
#include "forest/flat_forest.hpp"
#include "forest/subtree_index.hpp"
#include "random_rows.hpp"
#include "text/bracketed.hpp"

namespace gristmill {
namespace {

// --- sequences, each kept once ---------------------------------------------------------------------------------------

template <class T>
void a_table_keeps_every_sequence_once(int letters) {
  Random random(1);
  SequenceTable<T> table;
  std::map<std::vector<T>, std::uint32_t> wanted;
  for (int turn = 0; turn < 3000; ++turn) {
    std::vector<T> sequence(static_cast<std::size_t>(below(random, 7)));
    for (T& value : sequence) value = static_cast<T>(below(random, letters));
    const bool is_new = !wanted.contains(sequence);
    CHECK(table.find(sequence) == (is_new ? SequenceTable<T>::none : wanted.at(sequence)));
    const std::uint32_t id = wanted.try_emplace(sequence, static_cast<std::uint32_t>(wanted.size())).first->second;
    CHECK(table.intern(sequence) == id);
    CHECK(std::ranges::equal(table[id], sequence));
  }
  CHECK(table.size() == wanted.size());
  for (const auto& [sequence, id] : wanted)
    CHECK(table.find(sequence) == id && std::ranges::equal(table[id], sequence));
}

// --- forests ---------------------------------------------------------------------------------------------------------

struct Trees {
  std::shared_ptr<forest::Forest> forest = std::make_shared<forest::Forest>();
  std::vector<forest::NodeId> roots;

  void parse(std::string_view text) {
    const std::vector<char> exact(text.begin(), text.end());  // the address sanitizer sees a read beyond it
    const std::string_view view(exact.data(), exact.size());
    Silent observer;
    roots.push_back(text::parse_tree(*forest, view, {0, view.size()}, {.marks = true}, observer));
  }
  [[nodiscard]] std::string text(forest::NodeId node) const {
    std::string out;
    text::write_tree(*forest, node, out, SIZE_MAX);
    return out;
  }
};

Trees parsed(std::initializer_list<std::string_view> texts) {
  Trees trees;
  for (const std::string_view text : texts) trees.parse(text);
  return trees;
}

// Few labels, so that trees have much in common; some nodes of no tree.
Trees random_trees(Random& random, int count) {
  Trees trees;
  const std::vector<std::string> names{"a", "b", "c", "b*1"};
  for (int tree = 0; tree < count; ++tree) {
    std::vector<forest::NodeId> loose;
    for (int node = below(random, 20); node >= 0; --node) {
      const auto taken = std::min(loose.size(), static_cast<std::size_t>(node == 0 ? 99 : below(random, 4)));
      const auto begin = loose.end() - static_cast<std::ptrdiff_t>(taken);
      const auto name = static_cast<std::size_t>(below(random, taken == 0 ? 4 : 2));
      const forest::NodeId made =
          trees.forest->add(text::intern_label(trees.forest->symbols(), names[name], true), {begin, loose.end()});
      loose.erase(begin, loose.end());
      loose.push_back(made);
    }
    if (tree % 5 != 4) trees.roots.push_back(loose.back());
  }
  return trees;
}

// The nodes of a tree with repetition, children first.
void collect(const forest::Forest& forest, forest::NodeId node, std::vector<forest::NodeId>& found) {
  for (const forest::NodeId child : forest.children(node)) collect(forest, child, found);
  found.push_back(node);
}

void equal_subtrees_are_one_node() {
  const Trees trees = parsed({"(S (NP a) (NP a))", "(T (NP a) a)", "(S(NP a)(NP(a)))"});
  CHECK(trees.forest->size() == 4);
  CHECK(trees.roots[0] == trees.roots[2] && trees.roots[0] != trees.roots[1]);
  CHECK(trees.text(trees.roots[1]) == "(T (NP a) a)");
}

void malformed_trees_are_refused_within_their_bounds() {
  for (const std::string_view text : {"", "(", "(a", "(a (b", "a", "(a\\", "(a\\)", "(a b))", "()", "((a) (b))"}) {
    Trees trees;
    CHECK(throws<ParseError>([&] { trees.parse(text); }));
  }
}

void flat_forests_come_back() {
  Random random(2);
  const Trees trees = random_trees(random, 30);
  const forest::FlatForest flat = forest::flatten(*trees.forest, trees.roots);
  Trees back = parsed({"(x y)", "(b (a a))"});
  back.roots = forest::unflatten(*back.forest, flat);
  CHECK(back.roots.size() == trees.roots.size());
  for (std::size_t tree = 0; tree < trees.roots.size(); ++tree) {
    CHECK(back.text(back.roots[tree]) == trees.text(trees.roots[tree]));
  }
}

// One number is changed, anywhere, to anything.
void damaged_arrays_are_refused_or_a_forest() {
  Random random(3);
  const Trees trees = random_trees(random, 6);
  for (int turn = 0; turn < 3000; ++turn) {
    forest::FlatForest flat = forest::flatten(*trees.forest, trees.roots);
    const int value = turn % 3 == 0 ? 2147483647 : below(random, 40) - 2;
    const auto damage = [&](auto& numbers) {
      const auto at = static_cast<std::size_t>(below(random, static_cast<int>(numbers.size())));
      if (turn % 7 == 0) numbers.pop_back();
      if (at < numbers.size()) numbers[at] = static_cast<std::remove_reference_t<decltype(numbers[0])>>(value);
    };
    if (turn % 4 == 0) damage(flat.text_ends);
    if (turn % 4 == 1) damage(flat.node_ends);
    if (turn % 4 == 2) damage(flat.nodes);
    if (turn % 4 == 3) damage(flat.roots);
    Trees back;
    try {
      back.roots = forest::unflatten(*back.forest, flat);
    } catch (const std::invalid_argument&) {
      continue;
    }
    CHECK(std::ranges::all_of(back.roots, [&](forest::NodeId root) { return root < back.forest->size(); }));
    CHECK(forest::TreeSet(*back.forest, back.roots).trees() == flat.roots.size());
  }
}

// --- sets of trees ---------------------------------------------------------------------------------------------------

void subtrees_are_numbered_as_they_arrive() {
  Random random(4);
  const Trees trees = random_trees(random, 60);
  const forest::TreeSet set(*trees.forest, trees.roots);
  CHECK(set.trees() == trees.roots.size());
  std::map<forest::NodeId, forest::SubtreeId> numbers;
  for (std::size_t tree = 0; tree < set.trees(); ++tree) {
    std::vector<forest::NodeId> nodes;
    collect(*trees.forest, trees.roots[tree], nodes);
    std::map<forest::SubtreeId, std::uint32_t> counts;
    for (const forest::NodeId node : nodes) {
      ++counts[numbers.try_emplace(node, static_cast<forest::SubtreeId>(numbers.size())).first->second];
    }
    CHECK(set.arrived(tree + 1) == numbers.size());
    CHECK(set.root(tree) == numbers.at(trees.roots[tree]));
    CHECK(set.parts(tree).size() == counts.size());
    std::set<forest::SubtreeId> seen;
    for (const auto& [id, count] : set.parts(tree)) {
      CHECK(counts[id] == count);
      CHECK(std::ranges::all_of(set.children(id), [&](forest::SubtreeId child) { return seen.contains(child); }));
      CHECK(seen.insert(id).second);
    }
  }
  CHECK(set.subtrees() == numbers.size());
  for (const auto& [node, id] : numbers) {
    CHECK(set.node(id) == node && set.label(id) == trees.forest->label(node));
    CHECK(set.is_leaf(id) == trees.forest->children(node).empty());
    CHECK(std::ranges::equal(set.children(id), trees.forest->children(node), {}, {},
                             [&](forest::NodeId child) { return numbers.at(child); }));
  }
}

void the_parts_of_a_tree_do_not_depend_on_the_trees_before_it() {
  Random random(9);
  const Trees trees = random_trees(random, 60);
  const forest::TreeSet set(*trees.forest, trees.roots);
  for (std::size_t tree = 0; tree < set.trees(); ++tree) {
    const forest::TreeSet alone(*trees.forest, std::span(trees.roots).subspan(tree, 1));
    CHECK(std::ranges::equal(set.parts(tree), alone.parts(0),
                             [&](const forest::TreeSet::Part& a, const forest::TreeSet::Part& b) {
                               return set.node(a.subtree) == alone.node(b.subtree) && a.count == b.count;
                             }));
  }
}

void too_many_equal_subtrees_are_refused() {
  Trees trees = parsed({"(a)"});
  forest::NodeId top = trees.roots[0];
  for (int level = 0; level < 30; ++level) top = trees.forest->add(trees.forest->label(top), std::vector{top, top});
  CHECK(forest::TreeSet(*trees.forest, std::vector{top}).parts(0)[0].count == 1U << 30U);
  top = trees.forest->add(trees.forest->label(top), std::vector{top, top});
  CHECK(throws<std::length_error>([&] { (void)forest::TreeSet(*trees.forest, std::vector{top}); }));
}

void labels_and_productions_own_ranges() {
  Random random(5);
  const Trees trees = random_trees(random, 60);
  const forest::SubtreeIndex index(trees.forest, trees.roots);
  const forest::TreeSet& set = index.set();
  forest::SubtreeRank next = 0;
  for (forest::ProductionId p = 0; p < index.productions().size(); ++p) {
    const forest::SubtreeIndex::Production& production = index.productions()[p];
    CHECK(production.begin == next && production.begin < production.end);
    CHECK(index.first_production(production.label) <= p && p < index.first_production(production.label + 1));
    std::vector<forest::LabelId> labels{production.label};
    labels.insert(labels.end(), production.children.begin(), production.children.end());
    CHECK(production.marked == std::ranges::any_of(labels, [&](auto label) { return index.is_marked(label); }));
    for (forest::SubtreeRank rank = production.begin; rank < production.end; ++rank) {
      const forest::SubtreeId id = index.subtree(rank);
      CHECK(index.rank(id) == rank && index.production(id) == p && index.find_subtree(set.node(id)) == id);
      CHECK(rank == production.begin || index.subtree(rank - 1) < id);
      CHECK(index.find_label(set.label(id)) == production.label);
      std::vector<forest::Symbol> key{set.label(id)};
      for (const forest::SubtreeId child : set.children(id)) key.push_back(set.label(child));
      CHECK(index.find_production(key) == p);
      CHECK(std::ranges::equal(set.children(id), production.children, {},
                               [&](forest::SubtreeId child) { return index.find_label(set.label(child)); }));
    }
    next = production.end;
  }
  CHECK(next == index.size());
}

void postings_turn_parts_around() {
  Random random(6);
  const Trees trees = random_trees(random, 60);
  const forest::SubtreeIndex index(trees.forest, trees.roots);
  std::map<forest::SubtreeRank, std::vector<std::pair<std::uint32_t, std::uint32_t>>> wanted;
  for (std::uint32_t tree = 0; tree < index.trees(); ++tree) {
    for (const forest::TreeSet::Part& part : index.set().parts(tree)) {
      wanted[index.rank(part.subtree)].emplace_back(tree, part.count);
    }
  }
  for (forest::SubtreeRank rank = 0; rank < index.size(); ++rank) {
    CHECK(std::ranges::equal(index.postings(rank), wanted[rank], [](const auto& posting, const auto& pair) {
      return posting.tree == pair.first && posting.count == pair.second;
    }));
  }
}

void what_the_index_does_not_hold_is_not_found() {
  const Trees trees = parsed({"(S (NP a) b)", "(x y)"});
  const forest::SubtreeIndex index(trees.forest, std::vector{trees.roots[0]});
  CHECK(index.find_label(trees.forest->label(trees.roots[1])) == forest::SubtreeIndex::none);
  CHECK(index.find_label(1000) == forest::SubtreeIndex::none);
  CHECK(index.find_subtree(trees.roots[1]) == forest::SubtreeIndex::none);
  CHECK(index.find_subtree(1000) == forest::SubtreeIndex::none);
  CHECK(index.find_production(std::vector<std::uint32_t>{0, 0, 0}) == forest::SubtreeIndex::none);
  CHECK(forest::SubtreeIndex(trees.forest, {}).size() == 0);
}

// Features of many trees have a column of bytes, others and those that occur too often in a tree a list.
void count_columns_add_counts() {
  Random random(7);
  Trees trees = random_trees(random, 80);
  std::string wide = "(W";
  for (int child = 0; child < 300; ++child) wide += " a";
  trees.parse(wide + ")");
  const forest::TreeSet set(*trees.forest, trees.roots);
  constexpr std::size_t features = 200;
  std::vector<std::uint32_t> feature_of(set.subtrees());
  for (std::uint32_t& feature : feature_of) {
    feature = below(random, 5) == 0 ? forest::CountColumns::none : static_cast<std::uint32_t>(below(random, features));
  }
  const forest::CountColumns columns(set, feature_of, features);
  for (const std::size_t size : {std::size_t{0}, std::size_t{17}, set.trees()}) {
    for (std::uint32_t feature = 0; feature < features; ++feature) {
      std::vector<double> wanted(size, 0.5);
      for (std::size_t tree = 0; tree < size; ++tree) {
        for (const forest::TreeSet::Part& part : set.parts(tree)) {
          if (feature_of[part.subtree] == feature) wanted[tree] += 3.0 * part.count;
        }
      }
      std::vector<double> sums(size, 0.5);
      std::vector<std::int32_t> whole(size, 1);
      columns.add<double>(feature, 3.0, sums);
      columns.add<std::int32_t>(feature, 6, whole);
      CHECK(sums == wanted);
      CHECK(std::ranges::equal(whole, wanted, {}, {}, [](double sum) { return static_cast<std::int32_t>(2 * sum); }));
    }
  }
}

// --- stopping --------------------------------------------------------------------------------------------------------

struct Refusing final : Observer {
  std::atomic<std::size_t> calls{0};
  bool advance(std::size_t, std::size_t) override { return ++calls < 3; }
};

void a_stop_ends_all_workers() {
  for (const std::size_t threads : {1, 4}) {
    Refusing observer;
    Stop stop(observer);
    CHECK(throws<Interrupted>([&] {
      parallel_for(4, 1, threads, stop, [&](std::size_t, std::size_t, std::size_t worker) {
        for (;;) stop.poll(worker, 1000);  // never ends by itself
      });
    }));
    CHECK(observer.calls == 3);
    CHECK(throws<Interrupted>([&] { stop.poll(1, 0); }));
  }
}

void a_stop_asks_now_and_then() {
  Refusing observer;
  Stop stop(observer);
  for (int turn = 0; turn < 1000; ++turn) stop.poll(1, 1U << 20U);  // only the first worker may ask
  CHECK(observer.calls == 0);
  for (int turn = 0; turn < 1000; ++turn) stop.poll(0, 1);
  CHECK(observer.calls == 0);
  stop.poll(0, 1U << 20U);
  CHECK(observer.calls == 1);
}

void an_exception_of_the_observer_stops_all_workers() {
  struct Throwing final : Observer {
    bool advance(std::size_t, std::size_t) override { throw std::domain_error("enough"); }
  } observer;
  Stop stop(observer);
  CHECK(throws<std::domain_error>([&] {
    parallel_for(3, 1, 3, stop, [&](std::size_t, std::size_t, std::size_t worker) {
      for (;;) stop.poll(worker, 1000);
    });
  }));
}

}  // namespace

const TestFile forest_tests([] {
  a_table_keeps_every_sequence_once<char>(3);
  a_table_keeps_every_sequence_once<std::uint32_t>(1000);
  equal_subtrees_are_one_node();
  malformed_trees_are_refused_within_their_bounds();
  flat_forests_come_back();
  damaged_arrays_are_refused_or_a_forest();
  subtrees_are_numbered_as_they_arrive();
  the_parts_of_a_tree_do_not_depend_on_the_trees_before_it();
  too_many_equal_subtrees_are_refused();
  labels_and_productions_own_ranges();
  postings_turn_parts_around();
  what_the_index_does_not_hold_is_not_found();
  count_columns_add_counts();
  a_stop_ends_all_workers();
  a_stop_asks_now_and_then();
  an_exception_of_the_observer_stops_all_workers();
});

}  // namespace gristmill
