// SPDX-License-Identifier: BSD-3-Clause
// Tree kernels: K(S, T) = sum over pairs of nodes of Delta(n1, n2). Three families serve all of them.
//
//   identity    ST: Delta = decay^(number of productions) if the subtrees are equal, else 0
//   production  SST, K_c (Collins and Duffy): Delta = factor * prod_j (1 + Delta(child_j, child_j')) if the
//               productions are equal and have children, else 0
//   sequence    PTK (Moschitti 2006), K_lo (Kashima and Koyanagi): Delta = factor * (base + sum over equally long
//               subsequences of the children of gap^(children skipped) * first * step^(length - 1) * prod Delta)
//               if the labels are equal, else 0; KeLP's PTK weighs the base by a factor where one of both nodes is a
//               terminal, which is a node without children
//
// What a pair has in common beyond its production (or label) is "deeper"; the rest is a constant, so that
// K = constant * <counts of productions (or labels)> + sum of (Delta - constant) over deeper pairs.
#pragma once
#include <cstddef>

namespace gristmill::kernel::trees {

struct TreeKernel {
  enum class Family { identity, production, sequence };

  Family family = Family::production;
  bool marked = false;      // only fragments with a marked node count (Kazama and Torisawa 2005)
  bool constants = true;    // false: pairs count only for what they share below (uPTK)
  double factor = 1;        // what a node weighs
  double base = 1;          // sequence: what a node alone weighs besides the factor
  double gap = 1;           // sequence: a child skipped
  double first = 1;         // sequence: the first child of a subsequence
  double step = 1;          // sequence: each further one
  std::size_t longest = 0;  // sequence: most children in a subsequence; 0 for any number
  double leaves = 0;        // added for every pair of equal leaves (SST-bow)
  double single_nodes = 0;  // added for every pair of equal labels (K_c with fragments of one node)
  double terminals = 1;     // sequence: what the base is multiplied by where one of the nodes is a terminal

  // Whether equal subtrees are all that counts.
  [[nodiscard]] bool knows_equals() const noexcept { return family == Family::identity; }
  [[nodiscard]] double base_of(bool is_terminal) const noexcept { return is_terminal ? base * terminals : base; }
  // What a pair with equal productions (labels) counts at least.
  [[nodiscard]] double constant(bool is_terminal = false) const noexcept {
    return family == Family::sequence ? factor * base_of(is_terminal) : factor;
  }
};

}  // namespace gristmill::kernel::trees
