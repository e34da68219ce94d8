// SPDX-License-Identifier: BSD-3-Clause
// FREQTM's search (Kazama and Torisawa 2005, Algorithm 4.2): fragments that several trees share, one by one, depth
// first. It fails where trees have too much in common; then all pairs of the fragment's trees are malicious.
// Cost: for every fragment its occurrences times what lies to the right of their paths.
#pragma once
#include "mine/fragments/fragment_notes.hpp"

namespace gristmill::mine::fragments {

class FragmentSearch {
 public:
  FragmentSearch(const MiningTask& task, FragmentNotes& notes, std::size_t worker);

  // All fragments that grow from one. A precheck only finds malicious pairs.
  void run(const Placed& root, bool precheck);
  // One step of it: the fragments that grow by one symbol, which are left to others.
  [[nodiscard]] std::vector<Placed> split(const Placed& root, bool precheck);

  [[nodiscard]] std::size_t searched() const noexcept { return searched_; }

 private:
  struct Level {
    Fragment fragment;
    std::span<const Occurrence> occurrences;
    std::uint32_t support;
    SharedExtensions extensions;
    std::size_t next;
  };

  // False if the fragment fails.
  [[nodiscard]] bool open(Level& level, const Placed& root);
  [[nodiscard]] bool open(Level& level, const Fragment& fragment, std::span<const Occurrence> occurrences,
                          std::uint32_t support);
  void grow_or_shrink(std::size_t& height);
  void close(Level& level, bool before);

  const MiningTask& task_;
  FragmentNotes& notes_;
  Growth growth_;
  bool precheck_ = false;
  std::vector<Level> levels_;
  std::size_t searched_ = 0;
};

}  // namespace gristmill::mine::fragments
