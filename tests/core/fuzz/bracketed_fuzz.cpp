// SPDX-License-Identifier: BSD-3-Clause
// Bracketed trees: a tree, written, is the same tree. Options: those of the reader, one a bit.
#include "fuzz.hpp"
#include "text/bracketed.hpp"

namespace gristmill::fuzz {

void read(std::string_view input) {
  Silent observer;
  const std::uint8_t bits = take_options(input);
  const auto is_set = [&](unsigned bit) { return (bits >> bit & 1U) != 0; };
  const text::BracketOptions options{is_set(0), is_set(1), !is_set(2), !is_set(3)};
  forest::Forest forest;
  for (const forest::NodeId root : text::parse_tree_file(forest, input, options, observer).roots) {
    std::string written;
    text::write_tree(forest, root, written, text::most_written(forest));
    const text::BracketOptions plain{options.marks, false, true, true};
    INSIST(text::parse_tree(forest, written, {0, written.size()}, plain, observer) == root);
  }
}

}  // namespace gristmill::fuzz
