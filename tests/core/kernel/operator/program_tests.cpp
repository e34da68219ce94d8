// SPDX-License-Identifier: BSD-3-Clause
// Programs of operators: every kind of step occurs, all are sound, and they compute Delta.
#include "kernel/operator/production_items.hpp"
#include "kernel/operator/program_groups.hpp"
#include "kernel/operator/program_reader.hpp"
#include "kernel/operator/sequence_items.hpp"
#include "random_rows.hpp"
#include "slow_delta.hpp"

namespace gristmill {
namespace {

// --- trees with much in common ---------------------------------------------------------------------------------------

// Trees of one production: so many children, any of some trees each.
Trees of_one_production(const Labels& labels, int nodes, std::size_t width, Random& random, std::size_t count) {
  Trees trees = all_trees(labels, nodes);
  std::vector<forest::NodeId> alike;
  const auto is_alike = [&](forest::NodeId node) {
    return trees.forest.label(node) == trees.forest.label(trees.roots.front());
  };
  std::ranges::copy_if(trees.roots, std::back_inserter(alike), is_alike);
  trees.roots.clear();
  for (std::size_t tree = 0; tree < count; ++tree) {
    std::vector<forest::NodeId> children(width);
    for (forest::NodeId& child : children) {
      child = alike[static_cast<std::size_t>(below(random, static_cast<int>(alike.size())))];
    }
    trees.roots.push_back(trees.node("S", children));
  }
  return trees;
}

// Children with labels of their own, or that few others have.
Trees of_rare_labels() {
  Trees trees;
  for (int tree = 0; tree < 100; ++tree) {
    std::vector<forest::NodeId> children;
    for (int sharing = 1; sharing <= 9; sharing += 2) {
      const std::string name = std::to_string(tree / sharing);
      const forest::NodeId below = trees.node(name);
      children.push_back(trees.node(name + (sharing > 1 ? "a" : "b*1"), std::span(&below, tree % 2 == 0 ? 0 : 1)));
    }
    trees.roots.push_back(trees.node("S", children));
  }
  return trees;
}

// All combinations of four children with some faces each: those of the last three are too many for a triangle.
Trees of_four_children() {
  Trees trees;
  for (int tree = 0; tree < 2 * 5 * 5 * 3; ++tree) {
    std::vector<forest::NodeId> children;
    int rest = tree;
    for (const auto& [label, faces] : {std::pair{"a", 2}, {"b", 5}, {"c", 5}, {"d", 3}}) {
      const forest::NodeId leaf = trees.node(std::to_string(rest % faces));
      children.push_back(trees.node(label, std::span(&leaf, rest % faces == 0 ? 0 : 1)));
      rest /= faces;
    }
    trees.roots.push_back(trees.node("S", children));
  }
  return trees;
}

// So many children of a few labels that lists of sequences are given up halfway.
Trees of_wide_nodes(Random& random) {
  Trees trees;
  for (int tree = 0; tree < 70; ++tree) {
    std::vector<forest::NodeId> children(6);
    for (forest::NodeId& child : children) {
      const forest::NodeId leaf = trees.node("x");
      const std::string label = std::string(1, static_cast<char>('a' + below(random, 4)));
      child = trees.node(label, std::span(&leaf, static_cast<std::size_t>(below(random, 2))));
    }
    trees.roots.push_back(trees.node("S", children));
  }
  return trees;
}

// --- programs --------------------------------------------------------------------------------------------------------

// The programs for some trees.
struct Programs {
  forest::Subtrees subtrees;
  forest::Productions productions;
  kernel::gram::ProgramGroups groups;

  Programs(const kernel::trees::TreeKernel& kernel, const Trees& trees) : subtrees(trees.forest, trees.roots.size()) {
    for (const forest::NodeId root : trees.roots) (void)subtrees.add(trees.forest, root);
    productions.add(trees.forest, subtrees);
    const kernel::gram::GroupSource source{kernel, trees.forest, subtrees, productions, 0, 0};
    Silent observer;
    kernel::gram::update_deltas(source, {}, groups, observer);
    const kernel::gram::ProgramGroups labels = kernel::gram::label_groups(source);
    groups.insert(groups.end(), labels.begin(), labels.end());
  }
  [[nodiscard]] Survey survey() const {
    Survey survey;
    for (const auto& group : groups) ProgramReader(group->program, subtrees.subtrees(), survey);
    return survey;
  }
  // Delta times so many columns.
  [[nodiscard]] std::vector<double> times(const std::vector<double>& weights, std::size_t columns) const {
    std::vector<double> values(weights.size(), 0.0);
    kernel::gram::ProgramRunner runner;
    for (const auto& group : groups) runner.run(group->program, columns, weights.data(), values.data());
    return values;
  }
};

using Family = kernel::trees::TreeKernel::Family;

const std::vector<kernel::trees::TreeKernel> production_kernels{
    {.factor = 0.5},
    {.factor = 0.5, .leaves = 0.5},
    {.factor = 0.25, .single_nodes = 1},
    {.marked = true, .factor = 0.5},
    {.marked = true, .factor = 0.5, .single_nodes = 1},
};
const std::vector<kernel::trees::TreeKernel> sequence_kernels{
    {.family = Family::sequence, .factor = 0.5, .base = 0.25, .gap = 0.5},
    {.family = Family::sequence, .factor = 0.5, .base = 0.25, .gap = 0.5, .first = 0.25, .step = 0.25, .longest = 2},
    {.family = Family::sequence, .factor = 0.5, .base = 0.25, .gap = 0.5, .longest = 4},
    {.family = Family::sequence, .factor = 0.5, .base = 0.25, .gap = 0.5, .terminals = 0.5},
    {.family = Family::sequence, .constants = false, .factor = 0.5, .base = 0.25, .gap = 0.5, .step = 0.25},
    {.family = Family::sequence, .factor = 0.5},
    {.family = Family::sequence, .marked = true, .factor = 0.5},
};

// Every number of Delta, and what the programs are made of.
Survey programs_compute_delta(const kernel::trees::TreeKernel& kernel, const Trees& trees) {
  const Programs programs(kernel, trees);
  const std::size_t size = programs.subtrees.subtrees();
  SlowDelta slow(kernel, trees.forest);
  bool are_near = true;
  constexpr std::size_t columns = 8;
  for (std::size_t first = 0; first < size; first += columns) {
    std::vector<double> weights(size * columns, 0.0);
    for (std::size_t at = first; at < std::min(first + columns, size); ++at) weights[at * columns + at - first] = 1;
    const std::vector<double> values = programs.times(weights, columns);
    for (std::size_t at = first; at < std::min(first + columns, size); ++at) {
      const forest::NodeId node = programs.subtrees.node(static_cast<forest::SubtreeId>(at));
      for (forest::SubtreeId other = 0; other < size; ++other) {
        const double wanted = slow.counted(node, programs.subtrees.node(other));
        are_near = are_near && std::abs(values[other * columns + at - first] - wanted) <= 1e-13 * wanted;
      }
    }
  }
  CHECK(are_near);
  return programs.survey();
}

Survey survey_of(const std::vector<kernel::trees::TreeKernel>& kernels, const std::vector<Trees>& forests) {
  Survey survey;
  for (const kernel::trees::TreeKernel& kernel : kernels) {
    for (const Trees& trees : forests) survey.add(programs_compute_delta(kernel, trees));
  }
  return survey;
}

std::vector<Trees> dense_forests() {
  Random random(11);
  std::vector<Trees> forests;
  forests.push_back(all_trees({"a"}, 6));
  forests.push_back(all_trees({"a", "b*1"}, 4));
  forests.push_back(all_trees({"a", "b", "c*1"}, 3));
  forests.push_back(of_one_production({"a"}, 5, 3, random, 120));
  forests.push_back(of_one_production({"a", "b*1"}, 4, 2, random, 250));
  forests.push_back(of_rare_labels());
  forests.push_back(of_four_children());
  forests.push_back(of_wide_nodes(random));
  forests.push_back(Trees{});
  return forests;
}

void programs_for_equal_subtrees_compute_delta() {
  const Survey survey = survey_of({{.family = Family::identity, .factor = 0.5}}, dense_forests());
  CHECK(survey.has({kernel::gram::Program::pick, kernel::gram::Program::diagonal, kernel::gram::Program::close}));
}

void programs_for_productions_have_all_their_steps_and_compute_delta() {
  const Survey survey = survey_of(production_kernels, dense_forests());
  CHECK(survey.has({kernel::gram::Program::same, kernel::gram::Program::diagonal, kernel::gram::Program::blocks,
                    kernel::gram::Program::dense, kernel::gram::Program::slice, kernel::gram::Program::pick,
                    kernel::gram::Program::merge, kernel::gram::Program::close}));
  CHECK((survey.blocks == std::set<std::size_t>{2, 3, 4, 5, 6, 7, 8}));
  CHECK(survey.longest_triangle > kernel::gram::ProductionItems<double>::largest_dense);  // where the compiler
                                                                                          // gave up
}

void programs_for_sequences_have_all_their_steps_and_compute_delta() {
  const Survey survey = survey_of(sequence_kernels, dense_forests());
  CHECK(survey.has({kernel::gram::Program::same, kernel::gram::Program::diagonal, kernel::gram::Program::blocks,
                    kernel::gram::Program::dense, kernel::gram::Program::slice, kernel::gram::Program::pick,
                    kernel::gram::Program::merge, kernel::gram::Program::spread, kernel::gram::Program::close}));
  CHECK(survey.narrow[kernel::gram::Program::pick] > 0);
  CHECK(survey.longest_triangle > kernel::gram::SequenceItems<double>::largest_dense);
}

// --- long lists ------------------------------------------------------------------------------------------------------

constexpr std::size_t many = 70'000;  // more than narrow places can tell apart

// Sums over all subtrees for a few of them; columns side by side do not change a bit.
Survey long_programs_compute_delta(const kernel::trees::TreeKernel& kernel, const Trees& trees) {
  Random random(12);
  const Programs programs(kernel, trees);
  const auto size = static_cast<forest::SubtreeId>(programs.subtrees.subtrees());
  std::vector<double> weights(size);
  for (double& weight : weights) weight = below(random, 2001) / 1000.0 - 1.0;
  const std::vector<double> values = programs.times(weights, 1);
  for (forest::SubtreeId id = 0; id < size; id += size / 15) {
    SlowDelta slow(kernel, trees.forest);
    double wanted = 0;
    double magnitude = 0;
    for (forest::SubtreeId other = 0; other < size; ++other) {
      const double term = weights[other] * slow.counted(programs.subtrees.node(id), programs.subtrees.node(other));
      wanted += term;
      magnitude += std::abs(term);
    }
    CHECK(std::abs(values[id] - wanted) <= 1e-12 * magnitude);
  }
  std::vector<double> beside(weights.size() * 2, 0.0);
  for (std::size_t at = 0; at < weights.size(); ++at) beside[2 * at + 1] = weights[at];
  const std::vector<double> both = programs.times(beside, 2);
  bool are_same = true;
  for (std::size_t at = 0; at < weights.size(); ++at) {
    are_same = are_same && both[2 * at] == 0 && both[2 * at + 1] == values[at];
  }
  CHECK(are_same);
  return programs.survey();
}

void long_lists_of_productions_have_wide_places() {
  Trees trees;
  for (std::size_t tree = 0; tree < many; ++tree) {
    const std::string name = std::to_string(tree);
    trees.roots.push_back(
        trees.node("S", {trees.node("A", {trees.node(name + "a")}), trees.node("B", {trees.node(name)})}));
  }
  const Survey survey = long_programs_compute_delta({.factor = 0.5}, trees);
  CHECK(survey.wide[kernel::gram::Program::merge] > 0);
}

void long_lists_of_sequences_have_wide_places() {
  const kernel::trees::TreeKernel kernel{.family = Family::sequence, .factor = 0.5, .base = 0.25, .gap = 0.5};
  Trees trees;
  for (std::size_t tree = 0; tree < many; ++tree) {
    trees.roots.push_back(trees.node(
        "S", {trees.node(std::to_string(tree) + "a"), trees.node("B", {trees.node(std::to_string(tree % 3))})}));
  }
  const Survey ends = long_programs_compute_delta(kernel, trees);
  CHECK(ends.wide[kernel::gram::Program::pick] > 0);
  CHECK(ends.wide[kernel::gram::Program::spread] > 0 && ends.narrow[kernel::gram::Program::spread] > 0);
  Trees twice;  // a list of twice as many
  for (std::size_t tree = 0; tree < many / 2; ++tree) {
    const std::string name = std::to_string(tree);
    twice.roots.push_back(
        twice.node("S", {twice.node("A", {twice.node(name)}), twice.node("A", {twice.node(name + "a")})}));
  }
  const Survey starts = long_programs_compute_delta(kernel, twice);
  CHECK(starts.wide[kernel::gram::Program::spread] > 0 && starts.narrow[kernel::gram::Program::spread] > 0);
}

}  // namespace

const TestFile program_tests([] {
  programs_for_equal_subtrees_compute_delta();
  programs_for_productions_have_all_their_steps_and_compute_delta();
  programs_for_sequences_have_all_their_steps_and_compute_delta();
  long_lists_of_productions_have_wide_places();
  long_lists_of_sequences_have_wide_places();
});

}  // namespace gristmill
