// SPDX-License-Identifier: BSD-3-Clause
// The problem of cutting planes: conditions of optimality on random planes, and the factor that follows them.
#include <cmath>
#include <random>
#include <stdexcept>

#include "checks.hpp"
#include "solve/cutting_plane/plane_qp.hpp"

namespace gristmill {
namespace {

using Random = std::mt19937;

struct Plane {
  std::vector<double> g;
  double h = 0;
  double e = 0;
};

double uniform(Random& random) { return static_cast<double>(random() % 1000) / 999; }

// New, zero, or one of the planes before, with the same h or another.
Plane random_plane(Random& random, const std::vector<Plane>& before, std::size_t rank) {
  const std::size_t kind = random() % 6;
  if (kind == 0 && !before.empty()) {
    Plane plane = before[random() % before.size()];
    if (random() % 2 == 0) plane.h = uniform(random);
    return plane;
  }
  Plane plane{std::vector<double>(rank), uniform(random), random() % 3 == 0 ? 0 : 2 * uniform(random) - 1};
  for (double& value : plane.g) value = kind == 1 ? 0 : 2 * uniform(random) - 0.7;
  return plane;
}

std::vector<double> last_column(const std::vector<Plane>& planes) {
  std::vector<double> column;
  for (const Plane& plane : planes)
    column.push_back(solve::cutting_plane::dot(plane.g.data(), planes.back().g.data(), plane.g.size()));
  return column;
}

void check_is_solved(const solve::cutting_plane::PlaneQp& qp) {
  double sum = 0;
  for (const double a : qp.solution()) {
    CHECK(a >= 0);
    sum += a;
  }
  CHECK(sum <= qp.total() * (1 + 1e-12));
  CHECK(qp.slack() >= 0 && qp.objective() >= -1e-12 * qp.total());
  CHECK(qp.residual() <= 1e-12 * (1 + qp.total() / 1e3));
}

void planes_of_any_rank_are_solved_as_they_come() {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    solve::cutting_plane::PlaneQp qp(std::pow(10.0, static_cast<double>(random() % 10) - 5), round % 2 == 0);
    std::vector<Plane> planes;
    const std::size_t rank = random() % 8;
    for (std::size_t count = random() % 30; count > 0; --count) {
      planes.push_back(random_plane(random, planes, rank));
      qp.add(last_column(planes), planes.back().h, planes.back().e);
      if (random() % 3 == 0) continue;
      qp.solve();
      check_is_solved(qp);
    }
  }
}

void planes_without_weight_can_go() {
  Random random(2);
  solve::cutting_plane::PlaneQp qp(10, true);
  std::vector<Plane> planes;
  for (int count = 0; count < 60; ++count) {
    planes.push_back(random_plane(random, planes, 10));
    qp.add(last_column(planes), planes.back().h, planes.back().e);
    qp.solve();
  }
  std::vector<std::uint32_t> used;
  for (std::uint32_t plane = 0; plane < qp.size(); ++plane) {
    if (qp.solution()[plane] > 0) used.push_back(plane);
  }
  CHECK(!used.empty() && used.size() < 60);
  const double objective = qp.objective();
  CHECK(throws<std::invalid_argument>([&] { qp.keep(std::span(used).subspan(1)); }));
  CHECK(qp.size() == 60);
  qp.keep(used);
  CHECK(qp.size() == used.size() && qp.objective() == objective);
  qp.solve();
  check_is_solved(qp);
  for (std::size_t at = 0; at < used.size(); ++at) {
    const Plane& plane = planes[used[at]];
    CHECK(qp.column(at)[at] == solve::cutting_plane::dot(plane.g.data(), plane.g.data(), plane.g.size()));
  }
}

// Along the line between them nothing curves: the step ends at a bound.
void of_equal_planes_the_higher_one_is_used() {
  solve::cutting_plane::PlaneQp qp(3, false);
  qp.add(std::vector<double>{0.0}, 0.25, 0);
  qp.solve();
  CHECK(qp.solution()[0] == 3 && qp.slack() == 0.25);
  qp.add(std::vector<double>{0.0, 0.0}, 0.5, 0);
  qp.solve();
  CHECK(qp.solution()[0] == 0 && qp.solution()[1] == 3 && qp.slack() == 0.5 && qp.objective() == 1.5);
}

void small_problems_have_the_answers_of_paper_and_pencil() {
  solve::cutting_plane::PlaneQp free(10, false);
  free.add(std::vector<double>{4.0}, 1, 0);
  free.solve();
  CHECK(free.solution()[0] == 0.25 && free.slack() == 0 && free.objective() == 0.125);
  solve::cutting_plane::PlaneQp bound(0.125, false);
  bound.add(std::vector<double>{4.0}, 1, 0);
  bound.solve();
  CHECK(bound.solution()[0] == 0.125 && std::abs(bound.slack() - 0.5) < 1e-15);
  solve::cutting_plane::PlaneQp tied(10, true);
  tied.add(std::vector<double>{1.0}, 1, 0.5);
  tied.solve();
  CHECK(tied.solution()[0] == 0 && tied.slack() == 0 && tied.intercept() == 2);
  tied.add(std::vector<double>{0.0, 1.0}, 1, -0.5);
  tied.solve();
  CHECK(std::abs(tied.solution()[0] - 1) < 1e-14 && std::abs(tied.solution()[1] - 1) < 1e-14);
  CHECK(std::abs(tied.intercept()) < 1e-14 && tied.slack() == 0);
}

// Rows come and go; what is left solves the equations of the matrix that is left.
void the_factor_follows_its_rows() {
  Random random(3);
  std::vector<std::vector<double>> vectors;
  solve::cutting_plane::PlaneFactor factor;
  for (int step = 0; step < 400; ++step) {
    if (vectors.size() > 20 || (!vectors.empty() && random() % 3 == 0)) {
      const std::size_t at = random() % vectors.size();
      factor.remove(at);
      vectors.erase(vectors.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
      vectors.emplace_back(40);
      for (double& value : vectors.back()) value = 2 * uniform(random) - 1;
      std::vector<double> row;
      for (const auto& other : vectors)
        row.push_back(solve::cutting_plane::dot(other.data(), vectors.back().data(), 40));
      factor.append(row, 0);
    }
    CHECK(factor.size() == vectors.size());
    std::vector<double> y(vectors.size(), 1.0);
    factor.forward(y.data());
    factor.backward(y.data());
    std::vector<double> sum(40);
    for (std::size_t at = 0; at < y.size(); ++at) {
      for (std::size_t k = 0; k < 40; ++k) sum[k] += y[at] * vectors[at][k];
    }
    for (const auto& vector : vectors)
      CHECK(std::abs(solve::cutting_plane::dot(vector.data(), sum.data(), 40) - 1) < 1e-10);
  }
}

}  // namespace

const TestFile plane_qp_tests([] {
  planes_of_any_rank_are_solved_as_they_come();
  planes_without_weight_can_go();
  of_equal_planes_the_higher_one_is_used();
  small_problems_have_the_answers_of_paper_and_pencil();
  the_factor_follows_its_rows();
});

}  // namespace gristmill
