// SPDX-License-Identifier: BSD-3-Clause
// Which productions share labels of children with a given one, and where: found once for every production, and
// remembered as long as there is room.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "base/lists.hpp"
#include "forest/subtree_index.hpp"

namespace gristmill::kernel::trees {

struct ChildMatch {
  std::uint32_t left;
  std::uint32_t right;
};

// The productions of a label that share the label of a child with some list of labels.
struct Matches {
  static constexpr std::size_t most = 16;  // pairs that are listed; a production with more has none here

  std::vector<forest::ProductionId> productions;
  std::vector<std::size_t> starts;  // of the pairs of each production
  std::vector<ChildMatch> pairs;    // ascending by right, then left

  [[nodiscard]] std::span<const ChildMatch> of(std::size_t at) const noexcept {
    return {pairs.data() + starts[at], pairs.data() + starts[at + 1]};
  }
  [[nodiscard]] std::size_t nbytes() const noexcept {
    return productions.size() * sizeof(forest::ProductionId) + starts.size() * sizeof(std::size_t) +
           pairs.size() * sizeof(ChildMatch);
  }
};

// Finds matches. Immutable.
class MatchFinder {
 public:
  explicit MatchFinder(const forest::SubtreeIndex& index);

  // labels: of the children of the one node; none where the index does not know it. positions is scratch, a zero for
  // every label.
  [[nodiscard]] Matches find(forest::LabelId label, std::span<const forest::LabelId> labels,
                             std::vector<std::uint64_t>& positions) const;

  [[nodiscard]] std::size_t nbytes() const noexcept {
    return labels_.nbytes() + signatures_.size() * sizeof(std::uint64_t);
  }

 private:
  [[nodiscard]] static std::uint64_t signature(forest::LabelId label) noexcept {
    return std::uint64_t{1} << (label % 64);
  }

  const forest::SubtreeIndex& index_;
  std::vector<std::uint64_t> signatures_;  // per production: which labels its children may have
  Lists<forest::LabelId> labels_;          // per production: those of its children
};

// One worker's memory of matches.
class MatchCache {
 public:
  MatchCache(const MatchFinder& finder, std::size_t labels, std::size_t productions, std::size_t max_bytes)
      : finder_(finder), positions_(labels, 0), known_(productions), max_bytes_(max_bytes) {}

  // Stands until the next call.
  const Matches& find(forest::LabelId label, std::span<const forest::LabelId> labels, forest::ProductionId production) {
    if (production == forest::SubtreeIndex::none) return last_ = finder_.find(label, labels, positions_);
    if (known_[production] == nullptr) {
      auto found = std::make_unique<Matches>(finder_.find(label, labels, positions_));
      if (bytes_ + found->nbytes() > max_bytes_) forget();
      bytes_ += found->nbytes();
      known_[production] = std::move(found);
    }
    return *known_[production];
  }

 private:
  void forget() {
    for (auto& matches : known_) matches.reset();
    bytes_ = 0;
  }

  const MatchFinder& finder_;
  std::vector<std::uint64_t> positions_;
  std::vector<std::unique_ptr<Matches>> known_;  // per production
  std::size_t max_bytes_;
  std::size_t bytes_ = 0;
  Matches last_;
};

}  // namespace gristmill::kernel::trees
