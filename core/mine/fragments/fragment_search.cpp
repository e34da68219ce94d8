// SPDX-License-Identifier: BSD-3-Clause
#include "mine/fragments/fragment_search.hpp"

namespace gristmill::mine::fragments {

FragmentSearch::FragmentSearch(const MiningTask& task, FragmentNotes& notes, std::size_t worker)
    : task_(task), notes_(notes), growth_(task, worker), levels_(1) {}

void FragmentSearch::run(const Placed& root, bool precheck) {
  precheck_ = precheck;
  if (!open(levels_[0], root)) return;
  for (std::size_t height = 1; height > 0;) grow_or_shrink(height);
}

std::vector<Placed> FragmentSearch::split(const Placed& root, bool precheck) {
  precheck_ = precheck;
  Level& level = levels_[0];
  std::vector<Placed> parts;
  if (!open(level, root)) return parts;
  for (const SharedExtension& extension : level.extensions.all) {
    const std::span<const Occurrence> found = level.extensions.of(extension);
    parts.push_back({growth_.grown(root.fragment, extension), {found.begin(), found.end()}});
  }
  close(level, false);
  return parts;
}

// One extension of the highest level, or its end. Where an extension with the same trees fails, so does its parent, and
// perhaps the parent of that.
void FragmentSearch::grow_or_shrink(std::size_t& height) {
  const MiningRules& rules = task_.options.rules;
  if (levels_.size() == height) levels_.emplace_back();
  Level& level = levels_[height - 1];
  if (level.next == level.extensions.all.size()) {
    close(level, false);
    --height;
    return;
  }
  const SharedExtension extension = level.extensions.all[level.next++];
  const std::span<const Occurrence> found = level.extensions.of(extension);
  const std::span<const std::uint32_t> trees = notes_.trees_of(found);
  const auto support = static_cast<std::uint32_t>(trees.size());
  if (rules.known_pairs && notes_.are_known(trees)) return;
  if (open(levels_[height], growth_.grown(level.fragment, extension), found, support)) {
    ++height;
    return;
  }
  while (rules.same_support && height > 0 && levels_[height - 1].support == support) --height;
}

bool FragmentSearch::open(Level& level, const Placed& root) {
  const auto support = static_cast<std::uint32_t>(notes_.trees_of(root.occurrences).size());
  return open(level, root.fragment, root.occurrences, support);
}

bool FragmentSearch::open(Level& level, const Fragment& fragment, std::span<const Occurrence> occurrences,
                          std::uint32_t support) {
  ++searched_;
  level.fragment = fragment;
  level.occurrences = occurrences;
  level.support = support;
  level.next = 0;
  if (is_too_large(task_.options, fragment) || is_too_rare(task_.options, support) ||
      !growth_.grow(fragment, occurrences, support, level.extensions)) {
    notes_.condemn(occurrences);
    return false;
  }
  close(level, true);
  return true;
}

// The moment before the extensions are searched, or after: one of them is when the fragment is noted.
void FragmentSearch::close(Level& level, bool before) {
  const bool counts = level.fragment.marked || !task_.needs_mark;
  if (precheck_ || !counts || before == task_.options.rules.post_order) return;
  const PatternTable::Share itself{level.fragment.symbols, 1};
  notes_.note(level.occurrences, {&itself, 1});
}

}  // namespace gristmill::mine::fragments
