// SPDX-License-Identifier: BSD-3-Clause
// Bracketed trees, `(S (NP (D the) (N dog)) (VP barks))`, into a Forest and back. Nothing recurses: depth is limited by
// memory alone.
//
// A word without brackets is a leaf, and so is `(word)`. The empty outer bracket of the Penn Treebank, `( (S ...))`, is
// taken off. A backslash before a bracket, white space or a backslash makes it part of the label; before anything else
// it is an ordinary character (the Penn Treebank writes `1\/2`).
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/observer.hpp"
#include "forest/forest.hpp"

namespace gristmill::text {

struct BracketOptions {
  bool marks = false;          // `NP*1` is the label NP with mark 1; else '*' is an ordinary character
  bool quoted = false;         // labels may be written "in quotes", with \" and \\ inside
  bool keep_traces = true;     // else -NONE- nodes go, and what is empty without them
  bool keep_functions = true;  // else labels of inner nodes end before the first - or = behind their first character
};

// A part of a text.
struct Extent {
  std::size_t begin;
  std::size_t end;
};

struct TreeFile {
  std::vector<forest::NodeId> roots;
  std::vector<Extent>
      before;  // what stands between a tree and the end of the one before it, without white space around
};

// The tree that is a part of a text; places in errors are lines and columns of the text.
[[nodiscard]] forest::NodeId parse_tree(forest::Forest& forest, std::string_view text, Extent part,
                                        const BracketOptions& options, Observer& observer);

// One tree in each part; places in errors are lines and columns of the whole text.
[[nodiscard]] std::vector<forest::NodeId> parse_trees(forest::Forest& forest, std::string_view text,
                                                      std::span<const Extent> parts, const BracketOptions& options,
                                                      Observer& observer);

// Trees one after the other, over as many lines as they like, with anything but brackets between them.
[[nodiscard]] TreeFile parse_tree_file(forest::Forest& forest, std::string_view text, const BracketOptions& options,
                                       Observer& observer);

// Appends the tree in its plainest spelling: one space between siblings, leaves without brackets. Throws
// std::length_error where the text would grow beyond so many bytes: labels of a tree may repeat as often as nodes do.
void write_tree(const forest::Forest& forest, forest::NodeId root, std::string& out, std::size_t most_bytes);

// Those of trees together: 64 MB, or 64 for each byte of their forest. Trees that were read stay far below.
[[nodiscard]] inline std::size_t most_written(const forest::Forest& forest) noexcept {
  return std::max(std::size_t{1} << 26U, 64 * forest.nbytes());
}

// The symbol of a label; with marks, `NP*1` is NP marked 1. Throws std::invalid_argument for what is not UTF-8.
[[nodiscard]] forest::Symbol intern_label(forest::Symbols& symbols, std::string_view label, bool marks);

}  // namespace gristmill::text
