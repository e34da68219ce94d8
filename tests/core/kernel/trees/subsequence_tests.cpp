// SPDX-License-Identifier: BSD-3-Clause
// Subsequences of children: the short way and the table against the definition.
#include <cmath>

#include "kernel/trees/subsequence_plan.hpp"
#include "random_rows.hpp"

namespace gristmill {
namespace {

bool is_close(double a, double b) { return std::abs(a - b) <= 1e-12 * std::abs(b); }
bool is_close(kernel::trees::MarkedValue a, kernel::trees::MarkedValue b) {
  return is_close(a.without, b.without) && is_close(a.with, b.with);
}

void draw(Random& random, double& value) { value = (1 + below(random, 8)) / 8.0; }
void draw(Random& random, kernel::trees::MarkedValue& value) { draw(random, value.without), draw(random, value.with); }

// All pairs of equally long subsequences, by the definition.
template <class Value>
Value sum_from(const kernel::trees::SubsequencePlan<Value>& plan, std::span<const kernel::trees::ChildMatch> pairs,
               std::span<const forest::SubtreeRank> ranks, std::size_t length, kernel::trees::ChildMatch last) {
  Value total{};
  if (plan.kernel->longest != 0 && length > plan.kernel->longest) return total;
  for (const kernel::trees::ChildMatch next : pairs) {
    double weight = plan.kernel->first;
    if (length > 1) {
      if (next.left <= last.left || next.right <= last.right) continue;
      weight = plan.kernel->step * std::pow(plan.kernel->gap, next.left - last.left + next.right - last.right - 2);
    }
    const Value here = weight * plan.children[next.left](ranks[next.right]);
    total += here + here * sum_from(plan, pairs, ranks, length + 1, next);
  }
  return total;
}

template <class Value>
struct PlanCase {
  static constexpr std::size_t lists = 19;  // two full blocks of lanes and a part of one

  kernel::trees::TreeKernel kernel;
  std::vector<std::vector<Value>> values;
  std::vector<kernel::trees::ChildMatch> pairs;
  std::vector<forest::LabelId> labels;  // of the right children
  std::vector<forest::SubtreeRank> ranks;
  kernel::trees::SubsequencePlan<Value> plan;

  PlanCase(Random& random, int longest_list, std::size_t longest) : labels(drawn_labels(random, longest_list)) {
    const std::vector<forest::LabelId> lefts = drawn_labels(random, longest_list);
    kernel.longest = longest;
    for (double* weight : {&kernel.gap, &kernel.first, &kernel.step}) draw(random, *weight);
    for (std::uint32_t right = 0; right < labels.size(); ++right) {
      for (std::uint32_t left = 0; left < lefts.size(); ++left) {
        if (lefts[left] == labels[right]) pairs.push_back({left, right});
      }
    }
    for (std::size_t at = 0; at < lists * labels.size(); ++at)
      ranks.push_back(static_cast<forest::SubtreeRank>(below(random, 12)));
    plan.kernel = &kernel;
    draw(random, plan.factor);
    plan.gaps = {1.0};
    plan.cover_gaps(lefts.size() + labels.size());
    for (std::uint32_t left = 0; left < lefts.size(); ++left) {
      add_child(random);
      plan.labels.push_back(lefts[left]);
    }
    if (pairs.size() <= plan.most) plan.matches = pairs;
  }

  static std::vector<forest::LabelId> drawn_labels(Random& random, int longest_list) {
    std::vector<forest::LabelId> drawn(static_cast<std::size_t>(1 + below(random, longest_list)));
    for (forest::LabelId& label : drawn) label = static_cast<forest::LabelId>(below(random, 2));
    return drawn;
  }

  void add_child(Random& random) {
    const auto size = static_cast<forest::SubtreeRank>(below(random, 5));
    values.emplace_back(size + 1U);
    for (Value& value : values.back()) draw(random, value);
    Value constant{};
    draw(random, constant);
    plan.children.push_back({constant, values.back().data(), static_cast<forest::SubtreeRank>(below(random, 9)), size});
  }

  [[nodiscard]] Value wanted(std::size_t list) const {
    std::vector<forest::SubtreeRank> own;
    for (std::size_t right = 0; right < labels.size(); ++right) own.push_back(ranks[right * lists + list]);
    return plan.factor * sum_from<Value>(plan, pairs, own, 1, {0, 0});
  }
};

template <class Value>
void plans_are_the_definition() {
  Random random(8);
  for (int turn = 0; turn < 200; ++turn) {
    PlanCase<Value> one(random, 5, turn % 3 == 0 ? 0 : static_cast<std::size_t>(turn % 5));
    const auto from = static_cast<std::size_t>(below(random, 12));
    const std::size_t to = from + static_cast<std::size_t>(below(random, static_cast<int>(one.lists - from) + 1));
    Pulse pulse;
    std::vector<Value> table(one.lists, Value{});
    one.plan.tabulate(one.labels, one.ranks.data(), one.lists, from, to, table.data(), pulse);
    std::vector<Value> short_way(one.lists, Value{});
    if (one.plan.is_short()) one.plan.run(one.ranks.data(), one.lists, from, to, short_way.data());
    for (std::size_t list = 0; list < one.lists; ++list) {
      const Value wanted = list >= from && list < to ? one.wanted(list) : Value{};
      CHECK(is_close(table[list], wanted));
      CHECK(!one.plan.is_short() || is_close(short_way[list], wanted));
    }
  }
}

}  // namespace

const TestFile subsequence_tests([] {
  plans_are_the_definition<double>();
  plans_are_the_definition<kernel::trees::MarkedValue>();
});

}  // namespace gristmill
