// SPDX-License-Identifier: BSD-3-Clause
// How fragments grow: by right-most expansion, which finds each once. A fragment grows by a child of a node on its
// right-most path, to the right of what it has there; for K_c the child brings its whole production.
//
// An occurrence is the place of the last node and how many embeddings end there: embeddings that share it also share
// the right-most path, so they grow alike. (As a set of places, as in FREQT, counts would be wrong.)
#pragma once
#include "base/memory_budget.hpp"
#include "base/stop.hpp"
#include "mine/fragments/mined_trees.hpp"
#include "mine/fragments/mining.hpp"

namespace gristmill::mine::fragments {

struct Occurrence {
  TreeNode node;
  std::uint32_t embeddings;

  friend bool operator==(const Occurrence&, const Occurrence&) = default;
};

// A fragment by what matters about it.
struct Fragment {
  std::uint32_t depth;    // of its last node, below the root
  std::uint32_t nodes;    // its size for the limit
  std::uint32_t symbols;  // its size for its weight: nodes or productions
  bool marked;
};

[[nodiscard]] inline bool is_too_large(const MiningOptions& options, const Fragment& fragment) noexcept {
  return options.rules.size_limit && fragment.nodes >= options.max_size;
}

// A fragment and where its last node stands.
struct Placed {
  Fragment fragment;
  std::vector<Occurrence> occurrences;  // by node
};

// What all searches work on together.
struct MiningTask {
  const MinedTrees& trees;
  const MiningOptions& options;
  bool needs_mark;  // only fragments with a mark count
  Budget& budget;
  Stop& stop;
};

// By one symbol at one place.
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

struct Extensions {
  std::vector<Extension> all;
  std::vector<Occurrence> lists;

  [[nodiscard]] std::span<const Occurrence> of(const Extension& one) const {
    return std::span(lists).subspan(one.begin, one.size);
  }
};

class Growth {
 public:
  Growth(const MiningTask& task, std::size_t worker);

  // Fragments of one symbol; those with most below them first, so that trees with much in common are met early.
  [[nodiscard]] static std::vector<Placed> roots(const MiningTask& task);

  // What several trees have; false if an extension is found too often.
  [[nodiscard]] bool grow(const Fragment& fragment, std::span<const Occurrence> occurrences, std::uint32_t support,
                          Extensions& out);
  [[nodiscard]] Fragment grown(const Fragment& fragment, const Extension& extension) const;

 private:
  static constexpr std::uint32_t none = MinedTrees::none;

  struct Candidate {
    std::uint32_t extension;
    Occurrence occurrence;
  };

  [[nodiscard]] std::uint64_t limit_for(std::uint32_t support) const;
  template <class Worth>
  void look_right(const Fragment& fragment, const Occurrence& occurrence, Extensions& out, Worth is_worth);
  void add_candidate(const MinedTrees::Child& child, std::uint32_t depth, std::uint32_t tree, std::uint32_t embeddings,
                     Extensions& out);
  [[nodiscard]] std::uint32_t find_extension(const MinedTrees::Child& child, std::uint32_t depth, std::uint32_t tree,
                                             Extensions& out);
  void pause();
  void sort_out(Extensions& out) const;

  const MiningTask& task_;
  std::size_t worker_;
  std::vector<std::uint32_t> first_;  // per symbol: its extension, while they are collected
  std::vector<Candidate> candidates_;
  std::size_t paused_ = 0;  // at so many candidates
  std::uint64_t most_ = 0;  // embeddings of an extension so far
};

}  // namespace gristmill::mine::fragments
