// SPDX-License-Identifier: BSD-3-Clause
// FREQTM's search (Kazama and Torisawa 2005, Algorithm 4.2): fragments that several trees share, depth first, each
// found once by right-most expansion: a fragment grows by a child of a node on its right-most path, to the right of
// what it has there. For K_c the child brings its whole production.
//
// An occurrence is the place of the last node and how many embeddings end there: embeddings that share it also share
// the right-most path, so they grow alike. (As a set of places, as in FREQT, counts would be wrong.)
//
// The search fails where trees have too much in common; then all pairs of the fragment's trees are malicious.
// Cost: for every fragment that several trees share, its occurrences times what lies to the right of their paths.
#pragma once
#include <optional>

#include "base/stop.hpp"
#include "mine/budget.hpp"
#include "mine/subtrees/mined_trees.hpp"
#include "mine/subtrees/mining.hpp"
#include "mine/subtrees/pair_set.hpp"
#include "mine/subtrees/pattern_table.hpp"

namespace gristmill {

struct Occurrence {
  TreeNode node;
  std::uint32_t embeddings;
};

// A fragment by what matters about it.
struct Fragment {
  std::uint32_t depth;    // of its last node, below the root
  std::uint32_t nodes;    // its size for the limit
  std::uint32_t symbols;  // its size for its weight: nodes or productions
  bool marked;
};

struct FragmentTask {
  Fragment fragment;
  std::vector<Occurrence> occurrences;  // by node
};

// What all searches work on together.
struct Mine {
  const MinedTrees& trees;
  const MiningOptions& options;
  bool needs_mark;  // only fragments with a mark count
  PairSet& malicious;
  PatternTable& patterns;
  Budget& budget;
  Stop& stop;
};

class FragmentSearch {
 public:
  FragmentSearch(Mine mine, std::size_t worker);

  // Fragments of one symbol.
  [[nodiscard]] static std::vector<FragmentTask> roots(const Mine& mine);

  // All fragments that grow from one. A precheck only finds malicious pairs.
  void run(const FragmentTask& task, bool precheck);
  // One step of it: the fragments that grow by one symbol, which are left to others.
  [[nodiscard]] std::vector<FragmentTask> split(const FragmentTask& task, bool precheck);

  // A fragment, for the table of patterns. One often has the same pattern as the one before: they go there together, at
  // last by hand_in.
  void note(std::span<const Occurrence> occurrences, std::uint32_t symbols);
  void hand_in();
  void condemn(std::span<const Occurrence> occurrences);  // all pairs of its trees

  [[nodiscard]] std::size_t searched() const noexcept { return searched_; }

 private:
  static constexpr std::uint32_t none = MinedTrees::none;

  // Extensions by one symbol at one place.
  struct Extension {
    FragmentSymbol symbol;
    std::uint32_t depth;
    std::uint32_t place;
    std::uint32_t next;  // extension by the same symbol elsewhere
    std::uint32_t tree;  // the first
    std::uint32_t begin;
    std::uint32_t size;
    std::uint64_t embeddings;
    bool shared;  // by several trees
  };
  struct Level {
    Fragment fragment;
    std::span<const Occurrence> occurrences;
    std::uint32_t support;
    std::vector<Extension> extensions;
    std::vector<Occurrence> lists;
    std::size_t next;
  };
  struct Candidate {
    std::uint32_t extension;
    Occurrence occurrence;
  };

  // False if the fragment fails, whether at once or by its extensions.
  [[nodiscard]] bool open(Level& level, const FragmentTask& task);
  [[nodiscard]] bool open(Level& level, const Fragment& fragment, std::span<const Occurrence> occurrences,
                          std::uint32_t support);
  [[nodiscard]] bool generate(Level& level);
  [[nodiscard]] std::uint64_t limit_of(const Level& level) const;
  [[nodiscard]] TreeNode root_end(const Level& level, TreeNode node) const;
  template <class Worth>
  void look_right(Level& level, const Occurrence& occurrence, Worth is_worth);
  void add_candidate(Level& level, const MinedTrees::Child& child, std::uint32_t depth, std::uint32_t tree,
                     std::uint32_t embeddings);
  [[nodiscard]] std::uint32_t find_extension(Level& level, const MinedTrees::Child& child, std::uint32_t depth,
                                             std::uint32_t tree);
  void sort_out(Level& level);
  void merge_equals(Level& level, Extension& extension);

  void climb(std::size_t& height);
  void close(Level& level, bool before);
  [[nodiscard]] Fragment grown(const Fragment& fragment, const Extension& extension) const;
  [[nodiscard]] std::span<const std::uint32_t> trees_of(std::span<const Occurrence> occurrences);

  Mine mine_;
  std::size_t worker_;
  bool precheck_ = false;
  std::vector<std::uint32_t> first_;  // per symbol: its extension, while they are generated
  std::vector<Level> levels_;
  std::vector<Candidate> candidates_;
  std::uint64_t most_ = 0;   // embeddings of an extension so far
  std::uint64_t limit_ = 0;  // of them
  std::vector<std::uint32_t> trees_;
  std::vector<std::uint32_t> words_;
  std::vector<std::uint32_t> noted_;         // the pattern of the last fragments,
  std::vector<PatternTable::Share> shares_;  // which are so many of each size
  std::size_t searched_ = 0;
};

}  // namespace gristmill
