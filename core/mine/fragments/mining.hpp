// SPDX-License-Identifier: BSD-3-Clause
// Settings of FREQTM (Kazama and Torisawa 2005, Algorithm 4.2): its limits, and which of its rules are on. Rules change
// how much is searched, never what a kernel is worth.
#pragma once
#include <cstddef>
#include <limits>

#include "kernel/trees/tree_kernel.hpp"

namespace gristmill::mine::fragments {

struct MiningRules {
  bool size_limit = true;    // P: a fragment of max_size nodes makes all pairs of its trees malicious and does not grow
  bool same_support = true;  // P1: where an extension with the same trees has failed, its parent has failed
  bool known_pairs = true;   // P2: a fragment whose trees are malicious in pairs is not looked at
  bool precheck = false;     // PC: a first pass only looks for malicious pairs
  bool early_stop = true;    // R: lists are measured while they grow, not when all of them are there
  bool list_limit = true;    // S: a fragment with an extension that is found too often makes its pairs malicious
  bool post_order = true;    // F: a fragment is noted after its extensions, if they have not made it malicious
  bool same_places = true;   // fragments in the same places are searched as one; P1, PC and F have nothing to do then
  bool marks = true;         // section 6: places without a mark, from where none can be reached, are forgotten
  bool max_support = false;  // Table 2: P2 skips fragments that are in more trees than any that failed so far
};

struct MiningOptions {
  std::size_t max_size = 20;   // D
  double max_embeddings = 20;  // R: of an extension, for each tree of the fragment
  MiningRules rules{};
  bool compress = true;
  std::size_t max_bytes = std::numeric_limits<std::size_t>::max();
  std::size_t min_support = 2;  // a fragment that fewer trees share makes their pairs malicious and does not grow
};

// Whether a fragment weighs decay^(its nodes, or productions) and nothing else: K_lo, K_c, with marks or without.
[[nodiscard]] inline bool supports_mining(const kernel::trees::TreeKernel& kernel) noexcept {
  if (kernel.leaves != 0 || !kernel.constants || kernel.terminals != 1) return false;
  if (kernel.family == kernel::trees::TreeKernel::Family::production)
    return kernel.single_nodes == 0 || kernel.single_nodes == 1;
  return kernel.family == kernel::trees::TreeKernel::Family::sequence && kernel.base == 1 && kernel.gap == 1 &&
         kernel.first == 1 && kernel.step == 1 && kernel.longest == 0 && kernel.single_nodes == 0;
}

// Whether what was mined for one kernel serves another: they differ at most in their decay.
[[nodiscard]] inline bool same_fragments(const kernel::trees::TreeKernel& one,
                                         const kernel::trees::TreeKernel& other) noexcept {
  return supports_mining(one) && supports_mining(other) && one.family == other.family && one.marked == other.marked &&
         one.single_nodes == other.single_nodes;
}

}  // namespace gristmill::mine::fragments
