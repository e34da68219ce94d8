// SPDX-License-Identifier: BSD-3-Clause
// Trees as arrays, as model files hold them: what is taken for a forest gives the arrays again that give it.
//
// An input is a line of the texts of symbols with a space behind each, a line of the numbers of children of nodes and a
// list of bytes that name labels and children; so that most inputs are nearly right.
#include <stdexcept>

#include "forest/flat_forest.hpp"
#include "fuzz.hpp"

namespace gristmill::fuzz {
namespace {

std::string_view take_line(std::string_view& input) {
  const std::size_t end = std::min(input.find('\n'), input.size());
  const std::string_view line = input.substr(0, end);
  input.remove_prefix(std::min(end + 1, input.size()));
  return line;
}

forest::FlatForest flat_of(std::string_view input) {
  forest::FlatForest flat;
  for (const char byte : take_line(input)) {
    if (byte != ' ') {
      flat.texts += byte;
      continue;
    }
    flat.text_ends.push_back(static_cast<Offset>(flat.texts.size()));
    flat.marks.push_back(flat.texts.empty() ? 0U : static_cast<std::uint8_t>(flat.texts.back()) % 3U);
  }
  Offset end = 0;
  for (const char byte : take_line(input)) flat.node_ends.push_back(end += 1 + (static_cast<std::uint8_t>(byte) & 7U));
  for (const char byte : input) {
    const std::uint32_t number = static_cast<std::uint8_t>(byte);
    flat.nodes.push_back(number == 255 ? 0xFFFFFFFFU : number);
  }
  for (std::uint32_t root = static_cast<std::uint32_t>(flat.node_ends.size()); root-- > 0;) flat.roots.push_back(root);
  return flat;
}

}  // namespace

void read(std::string_view input) {
  forest::Forest forest;
  std::vector<forest::NodeId> roots;
  try {
    roots = forest::unflatten(forest, flat_of(input));
  } catch (const std::invalid_argument&) {
    return;
  }
  INSIST(forest::unflatten(forest, forest::flatten(forest, roots)) == roots);
  INSIST(forest::shapes(forest, roots).size() == roots.size());
}

}  // namespace gristmill::fuzz
