// SPDX-License-Identifier: BSD-3-Clause
// Converted trees: shared by threads, stopped, refused where they would be too large, and equal to the definition.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/errors.hpp"
#include "base/memory_budget.hpp"
#include "checks.hpp"
#include "kernel/trees/tree_direct.hpp"
#include "mine/fragments/converted_rows.hpp"
#include "slow_delta.hpp"

namespace gristmill {
namespace {

struct StopAtOnce final : Observer {
  bool advance(std::size_t, std::size_t) override { return false; }
};

std::vector<kernel::trees::TreeKernel> kernels() {
  using Family = kernel::trees::TreeKernel::Family;
  return {{.family = Family::sequence, .marked = true, .factor = 0.5},
          {.family = Family::sequence, .factor = 0.25},
          {.family = Family::production, .marked = true, .factor = 0.5},
          {.family = Family::production, .factor = 0.5, .single_nodes = 1}};
}

mine::fragments::SubtreePatterns mined(const kernel::trees::TreeKernel& kernel, const forest::SubtreeIndex& index,
                                       const mine::fragments::MiningOptions& options, std::size_t threads) {
  Silent observer;
  return {kernel, index, options, threads, observer};
}

std::vector<double> gram(const mine::fragments::SubtreePatterns& patterns, const kernel::trees::TreeKernel& kernel,
                         const forest::SubtreeIndex& index, std::size_t threads) {
  Silent observer;
  std::vector<std::uint32_t> columns(index.trees());
  std::iota(columns.begin(), columns.end(), 0U);
  const mine::fragments::ConvertedRows rows(patterns, kernel, index, columns, threads, observer);
  std::vector<double> out(columns.size() * columns.size());
  rows.fill_symmetric({}, out, threads, observer);
  std::vector<double> again(out.size());
  rows.fill(columns, {}, {}, again, threads, observer);
  CHECK(out == again);
  return out;
}

void a_gram_matrix_is_the_definitions() {
  const Trees trees = all_trees({"a", "b*1"}, 4);
  const forest::SubtreeIndex index(std::make_shared<const forest::Forest>(trees.forest), trees.roots);
  Silent observer;
  for (const kernel::trees::TreeKernel& kernel : kernels()) {
    std::vector<double> wanted(index.trees() * index.trees());
    kernel::trees::direct_gram(kernel, index, forest::TreeQueries(index), wanted, 2, observer);
    for (const std::size_t max_size : {1, 2, 3, 20}) {
      const mine::fragments::MiningOptions options{max_size, 1.5};
      const mine::fragments::SubtreePatterns patterns = mined(kernel, index, options, 2);
      const std::vector<double> found = gram(patterns, kernel, index, 2);
      for (std::size_t at = 0; at < found.size(); ++at) CHECK(std::abs(found[at] - wanted[at]) <= 1e-12 * wanted[at]);
    }
  }
}

void threads_do_not_change_a_bit() {
  const Trees trees = all_trees({"a", "b*1", "c"}, 4);
  const forest::SubtreeIndex index(std::make_shared<const forest::Forest>(trees.forest), trees.roots);
  for (const kernel::trees::TreeKernel& kernel : kernels()) {
    const mine::fragments::SubtreePatterns one = mined(kernel, index, {4}, 1);
    const mine::fragments::SubtreePatterns many = mined(kernel, index, {4}, 4);
    CHECK(one.features() == many.features());
    CHECK(one.malicious().size() == many.malicious().size());
    CHECK(gram(one, kernel, index, 1) == gram(many, kernel, index, 3));
  }
}

mine::fragments::MiningOptions with_bytes(std::size_t bytes) {
  mine::fragments::MiningOptions options;
  options.max_bytes = bytes;
  return options;
}

void what_does_not_fit_is_refused() {
  const Trees trees = all_trees({"a", "b*1", "c"}, 4);
  const forest::SubtreeIndex index(std::make_shared<const forest::Forest>(trees.forest), trees.roots);
  for (const kernel::trees::TreeKernel& kernel : kernels()) {
    for (const std::size_t bytes : {0, 100}) {
      CHECK(throws<PatternsTooLargeError>([&] { (void)mined(kernel, index, with_bytes(bytes), 2); }));
    }
  }
}

void mining_can_be_stopped() {
  const Trees trees = all_trees({"a", "b*1", "c"}, 4);
  const forest::SubtreeIndex index(std::make_shared<const forest::Forest>(trees.forest), trees.roots);
  StopAtOnce observer;
  CHECK(throws<Interrupted>([&] { (void)mine::fragments::SubtreePatterns(kernels()[1], index, {}, 2, observer); }));
}

void sets_of_pairs_are_complete() {
  constexpr std::uint32_t trees = 1000;
  mine::fragments::PairSet pairs(trees);
  const auto chosen = [](std::uint32_t a, std::uint32_t b) { return b < 20 || b > 990 || (a * 7 + b) % 101 == 0; };
  std::size_t size = 0;
  for (std::uint32_t b = 0; b < trees; ++b) {
    for (std::uint32_t a = 0; a < b; ++a) {
      if (!chosen(a, b)) continue;
      pairs.add(a, b);
      CHECK(pairs.add(a, b) == 0);
      ++size;
    }
  }
  CHECK(pairs.size() == size);
  for (std::uint32_t b = 0; b < trees; ++b) {
    std::vector<std::uint32_t> below;
    for (std::uint32_t a = 0; a < b; ++a) {
      CHECK(pairs.contains(a, b) == chosen(a, b));
      if (chosen(a, b)) below.push_back(a);
    }
    CHECK(pairs.below(b) == below);
  }
}

}  // namespace

const TestFile mining_tests([] {
  a_gram_matrix_is_the_definitions();
  threads_do_not_change_a_bit();
  what_does_not_fit_is_refused();
  mining_can_be_stopped();
  sets_of_pairs_are_complete();
});

}  // namespace gristmill
