// SPDX-License-Identifier: BSD-3-Clause
// Planes against arrays of what each variable counts, the line search against brute force, and bundles of both.
#include <algorithm>
#include <cmath>
#include <random>

#include "checks.hpp"
#include "solve/cutting_plane/bundle.hpp"
#include "solve/cutting_plane/line_search.hpp"
#include "solve/cutting_plane/plane_set.hpp"

namespace gristmill {
namespace {

using Random = std::mt19937;
using Doubles = std::vector<double>;

double uniform(Random& random) { return static_cast<double>(random() % 1000) / 999; }

Doubles uniforms(Random& random, std::size_t size) {
  Doubles values(size);
  for (double& value : values) value = uniform(random);
  return values;
}

double sum_of_products(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t at = 0; at < a.size(); ++at) sum += a[at] * b[at];
  return sum;
}

// --- planes ----------------------------------------------------------------------------------------------------------

solve::cutting_plane::PlaneSet::Bits random_bits(Random& random, std::size_t size) {
  solve::cutting_plane::PlaneSet::Bits bits((size + 63) / 64, 0);
  for (std::size_t v = 0; v < size; ++v) bits[v / 64] |= std::uint64_t{random() % 2} << (v % 64);
  return bits;
}

solve::cutting_plane::PlaneSet::Sample random_sample(Random& random, std::size_t size) {
  solve::cutting_plane::PlaneSet::Sample sample;
  for (std::uint32_t v = 0; v < size; ++v) {
    if (random() % 4 != 0) continue;
    sample.variables.push_back(v);
    sample.weights.push_back(uniform(random));
  }
  return sample;
}

Doubles counted(const solve::cutting_plane::PlaneSet::Bits& bits, const Doubles& shares) {
  Doubles counts(shares.size(), 0.0);
  for (std::size_t v = 0; v < shares.size(); ++v) {
    if ((bits[v / 64] >> (v % 64) & 1) != 0) counts[v] = shares[v];
  }
  return counts;
}

Doubles counted(const solve::cutting_plane::PlaneSet::Sample& sample, const Doubles& shares) {
  Doubles counts(shares.size(), 0.0);
  for (std::size_t at = 0; at < sample.variables.size(); ++at) counts[sample.variables[at]] = sample.weights[at];
  return counts;
}

void check_planes(const solve::cutting_plane::PlaneSet& planes, const std::vector<Doubles>& expected, Random& random) {
  CHECK(planes.size() == expected.size());
  const std::size_t variables = planes.shares().size();
  const Doubles values = uniforms(random, variables);
  const Doubles dots = planes.dots(values);
  for (std::size_t plane = 0; plane < planes.size(); ++plane) {
    CHECK(dots[plane] == sum_of_products(expected[plane], values));
    Doubles factors(planes.size(), 0.0);
    factors[plane] = 0.5;
    Doubles out(variables, 1.0);
    planes.accumulate(factors, out);
    for (std::size_t v = 0; v < variables; ++v) CHECK(out[v] == 1.0 + 0.5 * expected[plane][v]);
  }
}

void planes_count_what_they_take_in() {
  Random random(1);
  for (const std::size_t size : {0, 1, 63, 64, 65, 128, 200}) {
    Doubles shares = uniforms(random, size);
    solve::cutting_plane::PlaneSet planes(shares);
    std::vector<Doubles> expected;
    for (int count = 0; count < 10; ++count) {
      if (random() % 2 == 0) {
        const solve::cutting_plane::PlaneSet::Bits bits = random_bits(random, size);
        expected.push_back(counted(bits, shares));
        planes.add(bits);
      } else {
        const solve::cutting_plane::PlaneSet::Sample sample = random_sample(random, size);
        expected.push_back(counted(sample, shares));
        planes.add(sample);
      }
    }
    check_planes(planes, expected, random);
    const Doubles more = uniforms(random, 70);
    planes.extend(more);
    for (Doubles& plane : expected) plane.resize(size + 70, 0.0);
    check_planes(planes, expected, random);
    const std::vector<std::uint32_t> kept{0, 3, 4, 9};
    planes.keep(kept);
    for (std::size_t at = 0; at < kept.size(); ++at) expected[at] = expected[kept[at]];
    expected.resize(kept.size());
    check_planes(planes, expected, random);
  }
}

void planes_say_what_they_take() {
  solve::cutting_plane::PlaneSet planes(Doubles(100, 0.01));
  CHECK(planes.nbytes() == 800);
  planes.add(solve::cutting_plane::PlaneSet::Bits(2, 0));
  CHECK(planes.nbytes() == 816);
  planes.add(solve::cutting_plane::PlaneSet::Sample{{1, 5, 7}, {0.1, 0.2, 0.3}});
  CHECK(planes.nbytes() == 816 + 3 * 12);
}

void bits_are_visited_in_order() {
  std::vector<std::size_t> seen;
  solve::cutting_plane::for_each_bit({std::uint64_t{1} | std::uint64_t{1} << 63, 0, std::uint64_t{1} << 2},
                                     [&](std::size_t v) { seen.push_back(v); });
  CHECK(seen == (std::vector<std::size_t>{0, 63, 130}));
  const bool chosen[66] = {true, false, true};
  CHECK(solve::cutting_plane::bits_of(chosen) == (solve::cutting_plane::PlaneSet::Bits{5, 0}));
}

// --- the line search -------------------------------------------------------------------------------------------------

// Two ends: their margins are those of one-dimensional rows, so that norms and margins belong together.
struct Way {
  Doubles first, second, shares;
  double total = 1;
  solve::cutting_plane::Ends ends;

  [[nodiscard]] double objective(double k) const {
    const double norm = (1 - k) * (1 - k) * ends.first + 2 * k * (1 - k) * ends.cross + k * k * ends.second;
    double loss = 0;
    for (std::size_t v = 0; v < shares.size(); ++v) {
      loss += shares[v] * std::max(0.0, 1 - (1 - k) * first[v] - k * second[v]);
    }
    return norm / 2 + total * loss;
  }

  [[nodiscard]] double step() const { return solve::cutting_plane::best_step(first, second, shares, total, ends); }
};

// Of few different values: margins of 1, equal breakpoints and ends that are the same are common.
Way random_way(Random& random) {
  Way way;
  const std::size_t size = random() % 12;
  const double w0 = static_cast<double>(random() % 9) / 4 - 1;
  const double w1 = static_cast<double>(random() % 9) / 4 - 1;
  const bool whole = random() % 2 == 0;
  for (std::size_t v = 0; v < size; ++v) {
    const double row = whole ? static_cast<double>(random() % 9) - 4 : 8 * uniform(random) - 4;
    way.first.push_back(row * w0);
    way.second.push_back(row * w1);
    way.shares.push_back(uniform(random) / static_cast<double>(size));
  }
  way.total = std::pow(10.0, static_cast<double>(random() % 7) - 3);
  way.ends = {w0 * w0, w0 * w1, w1 * w1};
  return way;
}

void a_search_finds_what_brute_force_finds() {
  Random random(2);
  for (int round = 0; round < 3000; ++round) {
    const Way way = random_way(random);
    const double step = way.step();
    CHECK(step >= 0 && step <= 1);
    const double found = way.objective(step);
    const double slip = 1e-13 * (1 + way.total * 10);
    for (int at = 0; at <= 500; ++at) CHECK(found <= way.objective(at / 500.0) + slip);
    for (const double near : {1e-3, 1e-6, 1e-9}) {
      CHECK(found <= way.objective(std::min(step + near, 1.0)) + slip);
      CHECK(found <= way.objective(std::max(step - near, 0.0)) + slip);
    }
  }
}

void small_searches_have_the_answers_of_paper_and_pencil() {
  Way way{{0.0}, {2.0}, {1.0}, 1, {0, 0, 0}};
  CHECK(way.step() == 0.5);  // the loss ends there; beyond it nothing changes
  way.ends = {0, 0, 4};
  CHECK(way.step() == 0.5);  // slope 4 k - 2
  way.ends = {0, 0, 8};
  CHECK(way.step() == 0.25);
  way.total = 100;
  CHECK(way.step() == 0.5);
  const Way level{{1.0, 1.0}, {1.0, 1.0}, {0.5, 0.5}, 1, {1, 1, 1}};
  CHECK(level.step() == 0);  // nothing to gain, nothing is moved
  const Way down{{1.0}, {0.0}, {1.0}, 1, {0, 0, 0}};
  CHECK(down.step() == 0);
  const Way up{{0.0}, {1.0}, {1.0}, 1, {0, 0, 0}};
  CHECK(up.step() == 1);
  CHECK(solve::cutting_plane::best_step({}, {}, {}, 1, {1, 0, 0}) == 1);
  CHECK(solve::cutting_plane::best_step({}, {}, {}, 1, {1, 0, 1}) == 0.5);
}

// --- bundles ---------------------------------------------------------------------------------------------------------

// Rows of three dimensions, and their products.
struct Task {
  std::vector<Doubles> rows;
  std::vector<std::int8_t> signs;
  Doubles costs;
  double total = 0;

  [[nodiscard]] Doubles multiply(const Doubles& weights) const {
    Doubles w(3, 0.0);
    for (std::size_t v = 0; v < weights.size(); ++v) {
      for (std::size_t k = 0; k < 3; ++k) w[k] += weights[v] * rows[v][k];
    }
    Doubles values;
    for (std::size_t v = 0; v < weights.size(); ++v) values.push_back(sum_of_products(rows[v], w));
    return values;
  }
};

Task random_task(Random& random, std::size_t size) {
  Task task;
  for (std::size_t v = 0; v < size; ++v) {
    task.rows.push_back(uniforms(random, 3));
    task.signs.push_back(v % 2 == 0 ? 1 : -1);
    task.costs.push_back(0.1 + uniform(random));
    task.total += task.costs.back();
  }
  return task;
}

void check_is_feasible(const Task& task, const solve::cutting_plane::Bundle::Point& point, bool balanced) {
  double tie = 0;
  for (std::size_t v = 0; v < point.dual.size(); ++v) {
    CHECK(point.dual[v] >= 0 && point.dual[v] <= task.costs[v] * (1 + 1e-9));
    tie += task.signs[v] * point.dual[v];
  }
  if (balanced) CHECK(std::abs(tie) <= 1e-9 * task.total);
}

void add_first_planes(solve::cutting_plane::Bundle& bundle, const Task& task, bool balanced) {
  for (const int sign : {1, -1}) {
    if (!balanced) break;
    bool chosen[200] = {};
    for (std::size_t v = 0; v < bundle.variables(); ++v) chosen[v] = task.signs[v] == sign;
    bundle.add(task.multiply(bundle.cut(std::span<const bool>(chosen, bundle.variables()))));
  }
  bundle.add(task.multiply(bundle.cut(0.0)));
}

void play_round(solve::cutting_plane::Bundle& bundle, const Task& task, std::size_t patience) {
  bundle.solve(patience);
  bundle.place(task.multiply(bundle.weights(bundle.master())));
  bundle.search();
  bundle.add(task.multiply(bundle.cut(0.1)));
}

void a_bundle_closes_in_on_the_minimum() {
  Random random(3);
  for (int round = 0; round < 40; ++round) {
    const bool balanced = round % 2 == 0;
    const Task task = random_task(random, 2 + random() % 120);
    solve::cutting_plane::Bundle bundle(task.signs, task.costs, task.total, balanced);
    add_first_planes(bundle, task, balanced);
    double before = bundle.objective(bundle.best());
    int rounds = 0;
    do {
      play_round(bundle, task, 5);
      CHECK(bundle.objective(bundle.best()) <= before * (1 + 1e-12));
      before = bundle.objective(bundle.best());
      CHECK(bundle.lower() <= before * (1 + 1e-12));
      CHECK(bundle.planes() == bundle.qp().size());
      check_is_feasible(task, bundle.master(), balanced);
      check_is_feasible(task, bundle.best(), balanced);
    } while (before - bundle.lower() > 1e-6 * task.total && ++rounds < 1000);
    CHECK(rounds < 1000);
  }
}

void variables_that_come_later_count_as_the_others() {
  Random random(4);
  const Task task = random_task(random, 100);
  solve::cutting_plane::Bundle whole(task.signs, task.costs, task.total, true);
  add_first_planes(whole, task, true);
  solve::cutting_plane::Bundle grown({task.signs.begin(), task.signs.begin() + 60}, std::span(task.costs).first(60),
                                     task.total, true);
  add_first_planes(grown, task, true);
  for (int round = 0; round < 10; ++round) play_round(grown, task, 20);
  Doubles weights = grown.weights(grown.best());
  weights.resize(100, 0.0);
  const Doubles values = task.multiply(weights);
  grown.extend(std::span(task.signs).subspan(60), std::span(task.costs).subspan(60), std::span(values).subspan(60));
  for (int round = 0; round < 400; ++round) {
    play_round(whole, task, 20);
    play_round(grown, task, 20);
  }
  const double found = whole.objective(whole.best());
  CHECK(grown.variables() == 100);
  CHECK(std::abs(grown.objective(grown.best()) - found) <= 1e-6 * task.total);
  CHECK(std::abs(grown.lower() - found) <= 1e-6 * task.total);
  CHECK(grown.nbytes() > 0 && grown.members().size() <= 100);
}

}  // namespace

const TestFile bundle_tests([] {
  planes_count_what_they_take_in();
  planes_say_what_they_take();
  bits_are_visited_in_order();
  a_search_finds_what_brute_force_finds();
  small_searches_have_the_answers_of_paper_and_pencil();
  a_bundle_closes_in_on_the_minimum();
  variables_that_come_later_count_as_the_others();
});

}  // namespace gristmill
