// SPDX-License-Identifier: BSD-3-Clause
// How fragments that several trees share grow, up to a limit of how often they are found; occurrences are counted.
#pragma once
#include "base/memory_budget.hpp"
#include "base/stop.hpp"
#include "mine/fragments/expansion.hpp"
#include "mine/fragments/mining.hpp"

namespace gristmill::mine::fragments {

// The place of the last node and how many embeddings end there.
struct Occurrence {
  TreeNode node;
  std::uint32_t embeddings;

  struct Tally {
    std::uint64_t embeddings;
    std::uint32_t tree;  // the first
    bool shared;         // by several trees
  };
  void merge(const Occurrence& other) noexcept { embeddings += other.embeddings; }
  friend bool operator==(const Occurrence&, const Occurrence&) = default;
};

using SharedExtension = Extension<Occurrence>;
using SharedExtensions = Extensions<Occurrence>;

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

[[nodiscard]] inline bool is_too_rare(const MiningOptions& options, std::size_t support) noexcept {
  return support < options.min_support;
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
  MemoryBudget& budget;
  Stop& stop;
};

class Growth {
 public:
  Growth(const MiningTask& task, std::size_t worker) : task_(task), pulse_(task.stop, worker), expansion_(task.trees) {}

  // Fragments of one symbol; those with most below them first, so that trees with much in common are met early.
  [[nodiscard]] static std::vector<Placed> roots(const MiningTask& task);

  // What several trees have; false if an extension is found too often.
  [[nodiscard]] bool grow(const Fragment& fragment, std::span<const Occurrence> occurrences, std::uint32_t support,
                          SharedExtensions& out);
  [[nodiscard]] Fragment grown(const Fragment& fragment, const SharedExtension& extension) const;

 private:
  [[nodiscard]] std::uint64_t limit_for(std::uint32_t support) const;
  template <class Worth>
  void look_right(const Fragment& fragment, const Occurrence& occurrence, SharedExtensions& out, Worth is_worth);
  void pause();

  const MiningTask& task_;
  Pulse pulse_;
  Expansion<Occurrence> expansion_;
  std::size_t paused_ = 0;  // at so many candidates
  std::uint64_t most_ = 0;  // embeddings of an extension so far
};

}  // namespace gristmill::mine::fragments
