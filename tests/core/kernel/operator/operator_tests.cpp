// SPDX-License-Identifier: BSD-3-Clause
// Operators over trees: shared by threads, appended to, stopped, and refused where they would be too large.
#include <array>
#include <thread>
#include <utility>

#include "base/errors.hpp"
#include "kernel/operator/tree_operator.hpp"
#include "random_rows.hpp"
#include "slow_delta.hpp"

namespace gristmill {
namespace {

kernel::gram::TreeOperator compiled(const kernel::trees::TreeKernel& kernel, const Trees& trees, std::size_t count,
                                    kernel::gram::CompileOptions options = {}) {
  Silent observer;
  return {kernel, trees.forest, std::span(trees.roots).first(count), options, observer};
}

// With weights that are 0 for most trees.
std::vector<double> product(const kernel::gram::TreeOperator& one, std::size_t columns, std::size_t threads) {
  Random random(13);
  std::vector<double> weights(one.trees() * columns, 0.0);
  for (double& weight : weights) weight = below(random, 3) == 0 ? below(random, 2001) / 1000.0 - 1.0 : 0.0;
  std::vector<double> out(weights.size());
  kernel::gram::TreeOperator::Scratch scratch;
  Silent observer;
  one.multiply(weights, columns, {}, out, scratch, threads, observer);
  return out;
}

Trees trees_of_many_productions() {
  Random random(14);
  Trees trees = all_trees({"a", "b*1", "c"}, 4);
  const std::size_t known = trees.roots.size();
  const auto any = [&] { return trees.roots[static_cast<std::size_t>(below(random, static_cast<int>(known)))]; };
  for (int tree = 0; tree < 6000; ++tree) {
    std::vector<forest::NodeId> children(1 + static_cast<std::size_t>(below(random, 3)));
    for (forest::NodeId& child : children) child = any();
    trees.roots.push_back(trees.node("S", children));
  }
  trees.roots.push_back(trees.node("S", std::vector(3, trees.roots[known - 1])));
  return trees;
}

std::vector<kernel::trees::TreeKernel> one_of_each_family() {
  using Family = kernel::trees::TreeKernel::Family;
  return {{.family = Family::identity, .factor = 0.5},
          {.marked = true, .factor = 0.5, .single_nodes = 1},
          {.family = Family::sequence, .marked = true, .factor = 0.5}};
}

void threads_do_not_change_a_bit() {
  const Trees trees = trees_of_many_productions();
  for (const kernel::trees::TreeKernel& kernel : one_of_each_family()) {
    const kernel::gram::TreeOperator alone = compiled(kernel, trees, trees.roots.size());
    const kernel::gram::TreeOperator together = compiled(kernel, trees, trees.roots.size(), {.threads = 4});
    CHECK(alone.nbytes() == together.nbytes());
    for (const std::size_t columns : {1, 3, 8}) {
      const std::vector<double> wanted = product(alone, columns, 1);
      for (const std::size_t threads : {1, 2, 5}) CHECK(product(together, columns, threads) == wanted);
    }
  }
}

void operators_are_shared_by_threads() {
  const Trees trees = trees_of_many_productions();
  for (const kernel::trees::TreeKernel& kernel : one_of_each_family()) {
    const kernel::gram::TreeOperator shared = compiled(kernel, trees, trees.roots.size());
    const std::vector<double> wanted = product(shared, 3, 1);
    std::array<std::vector<double>, 3> found;
    {
      std::vector<std::jthread> crew;
      for (std::vector<double>& one : found) crew.emplace_back([&] { one = product(shared, 3, 2); });
    }
    for (const std::vector<double>& one : found) CHECK(one == wanted);
  }
}

void appended_trees_compile_only_what_is_new() {
  const Trees trees = trees_of_many_productions();
  for (const kernel::trees::TreeKernel& kernel : one_of_each_family()) {
    const kernel::gram::TreeOperator whole = compiled(kernel, trees, trees.roots.size());
    const std::vector<double> wanted = product(whole, 3, 1);
    const std::size_t cut = trees.roots.size() - 1;
    const kernel::gram::TreeOperator before = compiled(kernel, trees, cut);
    const std::vector<double> of_before = product(before, 3, 1);
    Silent observer;
    const kernel::gram::TreeOperator after(before, trees.forest, std::span(trees.roots).subspan(cut), {}, observer);
    CHECK(product(after, 3, 1) == wanted && product(before, 3, 1) == of_before);
    CHECK(after.compiled() > 0 && after.compiled() < whole.compiled());
    const kernel::gram::TreeOperator again(whole, trees.forest, std::span(trees.roots).first(9), {}, observer);
    CHECK(again.compiled() == 0 && again.different_trees() == whole.different_trees());
  }
}

void compiling_and_applying_can_be_stopped() {
  const Trees trees = trees_of_many_productions();
  for (const kernel::trees::TreeKernel& kernel : one_of_each_family()) {
    StopAfter at_once(0);
    CHECK(
        throws<Interrupted>([&] { (void)kernel::gram::TreeOperator(kernel, trees.forest, trees.roots, {}, at_once); }));
    const kernel::gram::TreeOperator made = compiled(kernel, trees, trees.roots.size());
    std::vector<double> numbers(made.trees(), 1.0);
    kernel::gram::TreeOperator::Scratch scratch;
    StopAfter soon(0);
    CHECK(throws<Interrupted>([&] { made.multiply(numbers, 1, {}, numbers, scratch, 1, soon); }));
  }
}

void one_long_list_is_stopped_before_it_is_done() {
  Trees trees;
  forest::NodeId top = trees.node("x");
  for (int level = 0; level < 3000; ++level) trees.roots.push_back(top = trees.node("a", {top}));
  for (const kernel::trees::TreeKernel& kernel : {one_of_each_family()[1], one_of_each_family()[2]}) {
    StopAfter observer(3);
    CHECK(throws<Interrupted>(
        [&] { (void)kernel::gram::TreeOperator(kernel, trees.forest, trees.roots, {}, observer); }));
  }
}

void whether_bytes_are_enough_does_not_depend_on_threads() {
  const Trees trees = trees_of_many_productions();
  for (const kernel::trees::TreeKernel& kernel : one_of_each_family()) {
    const std::size_t bytes = compiled(kernel, trees, trees.roots.size()).nbytes();
    for (const std::size_t max_bytes : {std::size_t{0}, bytes / 2, bytes - 1, bytes}) {
      for (const std::size_t threads : {1, 4}) {
        const auto compile = [&] {
          (void)compiled(kernel, trees, trees.roots.size(), {.max_bytes = max_bytes, .threads = threads});
        };
        CHECK(throws<kernel::gram::OperatorTooLargeError>(compile) == (max_bytes < bytes));
      }
    }
  }
}

void whether_steps_are_enough_does_not_depend_on_threads() {
  Trees trees;  // three labels with programs of their own, and much below that they share
  for (const char* label : {"S", "T", "U"}) {
    for (int tree = 0; tree < 2500; ++tree) {
      const forest::NodeId deep =
          trees.node("A", {trees.node("B", {trees.node(std::to_string(tree % 50))}), trees.node("B")});
      trees.roots.push_back(trees.node(label, {deep, trees.node("B", {trees.node(std::to_string(tree))})}));
    }
  }
  for (const kernel::trees::TreeKernel& kernel : {one_of_each_family()[1], one_of_each_family()[2]}) {
    const auto is_enough = [&](std::size_t steps, std::size_t threads) {
      const kernel::gram::CompileOptions options{.max_steps = steps, .threads = threads};
      return !throws<kernel::gram::OperatorTooLargeError>(
          [&] { (void)compiled(kernel, trees, trees.roots.size(), options); });
    };
    std::size_t too_few = 0;
    std::size_t enough = 1;
    while (!is_enough(enough, 1)) too_few = std::exchange(enough, 2 * enough);
    while (enough - too_few > 1) {
      const std::size_t middle = (too_few + enough) / 2;
      (is_enough(middle, 1) ? enough : too_few) = middle;
    }
    CHECK(too_few > 0 && is_enough(enough, 4) && !is_enough(too_few, 4));
  }
}

void what_stays_counts_once_when_trees_are_appended() {
  const Trees trees = trees_of_many_productions();
  for (const kernel::trees::TreeKernel& kernel : one_of_each_family()) {
    const kernel::gram::TreeOperator whole = compiled(kernel, trees, trees.roots.size());
    Silent observer;
    const auto append = [&](std::size_t max_bytes) {
      return kernel::gram::TreeOperator(whole, trees.forest, std::span(trees.roots).first(9), {.max_bytes = max_bytes},
                                        observer);
    };
    const std::size_t bytes = append(SIZE_MAX).nbytes();
    CHECK(throws<kernel::gram::OperatorTooLargeError>([&] { (void)append(bytes - 1); }));
    CHECK(!throws<kernel::gram::OperatorTooLargeError>([&] { (void)append(bytes); }));
  }
}

}  // namespace

const TestFile operator_tests([] {
  threads_do_not_change_a_bit();
  operators_are_shared_by_threads();
  appended_trees_compile_only_what_is_new();
  compiling_and_applying_can_be_stopped();
  one_long_list_is_stopped_before_it_is_done();
  whether_bytes_are_enough_does_not_depend_on_threads();
  whether_steps_are_enough_does_not_depend_on_threads();
  what_stays_counts_once_when_trees_are_appended();
});

}  // namespace gristmill
