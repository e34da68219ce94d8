// SPDX-License-Identifier: BSD-3-Clause
#include "solve/tables/losses.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include "base/exponential.hpp"
#include "base/variants.hpp"

namespace gristmill::solve::tables {
namespace {

constexpr std::size_t block = 512;             // rows that are looked at together
constexpr std::size_t rows_of_a_piece = 4096;  // rows whose sums are one partial sum

using Block = std::array<double, block>;

struct Values {
  Block score, target, weight, direction, loss, residual, curvature;
};

GRISTMILL_VARIANTS void logistic(const double* scores, const double* targets, double* loss, double* residual,
                                 double* curvature) {
  for (std::size_t i = 0; i < block; ++i) {
    const double sign = 2.0 * targets[i] - 1.0;
    const double margin = sign * scores[i];
    const double size = std::abs(margin);
    const double e = exp_of_minus(size);
    const double denominator = 1.0 + e;
    loss[i] = 0.5 * (size - margin) + log_of_1_plus(e);
    residual[i] = -sign * (if_negative(margin, 1.0, e) / denominator);
    curvature[i] = e / (denominator * denominator);
  }
}

void squared(const double* scores, const double* targets, double* loss, double* residual, double* curvature) {
  for (std::size_t i = 0; i < block; ++i) {
    residual[i] = scores[i] - targets[i];
    loss[i] = 0.5 * residual[i] * residual[i];
    curvature[i] = 1;
  }
}

// Four lanes, whatever the machine has.
GRISTMILL_VARIANTS void sum_lanes(const double* a, const double* b, const double* c, double* sum) {
  std::array<double, 4> lanes{};
  for (std::size_t i = 0; i < block; i += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) lanes[lane] += a[i + lane] * b[i + lane] * c[i + lane];
  }
  *sum += (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

const Block& ones() {
  static const Block values = [] {
    Block made;
    made.fill(1.0);
    return made;
  }();
  return values;
}

struct Piece {
  std::size_t begin;
  std::size_t end;
};

// sums: loss, gradient (2), hessian (2 x 2), without weights of 0 at the end of a block.
struct OneOutput {
  const Targets& targets;
  std::span<const double> scores;
  std::span<const double> direction;
  double step;
  double intercept;
  std::span<double> residuals;

  void load(Values& values, std::size_t begin, std::size_t size) const {
    values.score.fill(0);
    values.target.fill(0);
    values.weight.fill(0);
    values.direction.fill(0);
    std::copy_n(&targets.values[begin], size, values.target.begin());
    std::copy_n(&targets.weights[begin], size, values.weight.begin());
    if (!direction.empty()) std::copy_n(&direction[begin], size, values.direction.begin());
    for (std::size_t i = 0; i < size; ++i) {
      values.score[i] = scores[begin + i] + step * values.direction[i] + intercept;
    }
  }

  void add(Values& values, std::size_t begin, std::size_t size, double* sums) const {
    load(values, begin, size);
    const auto of_loss = targets.loss == Loss::logistic ? logistic : squared;
    of_loss(values.score.data(), values.target.data(), values.loss.data(), values.residual.data(),
            values.curvature.data());
    for (std::size_t i = 0; i < block; ++i) values.residual[i] *= values.weight[i];
    for (std::size_t i = 0; i < block; ++i) values.curvature[i] *= values.weight[i];
    std::copy_n(values.residual.begin(), size, &residuals[begin]);
    const double* one = ones().data();
    const double* along = values.direction.data();
    sum_lanes(values.loss.data(), values.weight.data(), one, &sums[0]);
    sum_lanes(values.residual.data(), along, one, &sums[1]);
    sum_lanes(values.residual.data(), one, one, &sums[2]);
    sum_lanes(values.curvature.data(), along, along, &sums[3]);
    sum_lanes(values.curvature.data(), along, one, &sums[4]);
    sum_lanes(values.curvature.data(), one, one, &sums[6]);
  }
};

// Several outputs, row by row.
struct ManyOutputs {
  const Targets& targets;
  std::span<const double> scores;
  std::span<const double> direction;
  double step;
  std::span<const double> intercepts;
  std::span<double> residuals;

  // p: the shares of outputs.
  double shares(std::size_t row, double* p) const {
    const std::size_t outputs = targets.outputs;
    for (std::size_t c = 0; c < outputs; ++c) {
      const double along = direction.empty() ? 0 : step * direction[row * outputs + c];
      p[c] = scores[row * outputs + c] + along + intercepts[c];
    }
    const auto most = static_cast<std::size_t>(std::max_element(p, p + outputs) - p);
    const double top = p[most];
    const double own = top - p[static_cast<std::size_t>(targets.values[row])];
    double others = 0;
    for (std::size_t c = 0; c < outputs; ++c) {
      p[c] = exp_of_minus(top - p[c]);
      if (c != most) others += p[c];
    }
    for (std::size_t c = 0; c < outputs; ++c) p[c] /= 1 + others;
    return own + log_of_1_plus_any(others);
  }

  void add(std::size_t row, double* p, double* sums) const {
    const std::size_t outputs = targets.outputs;
    const double weight = targets.weights[row];
    sums[0] += weight * shares(row, p);
    double* r = &residuals[row * outputs];
    const auto own = static_cast<std::size_t>(targets.values[row]);
    for (std::size_t c = 0; c < outputs; ++c) r[c] = weight * (p[c] - (c == own ? 1.0 : 0.0));
    add_gradient(r, row, sums + 1);
    add_hessian(p, weight, row, sums + 1 + outputs);
  }

  void add_gradient(const double* r, std::size_t row, double* sums) const {
    const std::size_t outputs = targets.outputs;
    for (std::size_t c = 0; c + 1 < outputs; ++c) sums[1 + c] += r[c];
    if (direction.empty()) return;
    for (std::size_t c = 0; c < outputs; ++c) sums[0] += r[c] * direction[row * outputs + c];
  }

  // Of the step first, then of each intercept but the last; the upper triangle.
  void add_hessian(const double* p, double weight, std::size_t row, double* sums) const {
    const std::size_t outputs = targets.outputs;
    if (!direction.empty()) {
      const double* g = &direction[row * outputs];
      double mean = 0;
      double square = 0;
      for (std::size_t c = 0; c < outputs; ++c) mean += p[c] * g[c];
      for (std::size_t c = 0; c < outputs; ++c) square += p[c] * (g[c] - mean) * (g[c] - mean);
      sums[0] += weight * square;
      for (std::size_t c = 0; c + 1 < outputs; ++c) sums[1 + c] += weight * p[c] * (g[c] - mean);
    }
    for (std::size_t c = 0; c + 1 < outputs; ++c) {
      double* to = sums + (c + 1) * outputs + 1;
      const double share = weight * p[c];
      to[c] += share;
      for (std::size_t d = c; d + 1 < outputs; ++d) to[d] -= share * p[d];
    }
  }
};

Derivatives derivatives_of(std::span<const double> sums, std::size_t size) {
  Derivatives found;
  found.loss = sums[0];
  found.gradient.assign(sums.begin() + 1, sums.begin() + 1 + static_cast<std::ptrdiff_t>(size));
  found.hessian.assign(sums.begin() + 1 + static_cast<std::ptrdiff_t>(size), sums.end());
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < i; ++j) found.hessian[i * size + j] = found.hessian[j * size + i];
  }
  return found;
}

}  // namespace

void check_targets(const Targets& targets) {
  const std::size_t rows = targets.values.size();
  if (targets.weights.size() != rows) throw std::invalid_argument("there is a weight for each row");
  const std::size_t classes = targets.loss == Loss::squared ? 1 : targets.loss == Loss::logistic ? 2 : targets.outputs;
  if (targets.outputs != (targets.loss == Loss::softmax ? std::max<std::size_t>(targets.outputs, 2) : 1)) {
    throw std::invalid_argument("softmax has two outputs or more, other losses have one");
  }
  std::vector<double> weights(classes, 0.0);
  for (std::size_t row = 0; row < rows; ++row) {
    if (!(targets.weights[row] >= 0) || !std::isfinite(targets.weights[row]) || !std::isfinite(targets.values[row])) {
      throw std::invalid_argument("targets are numbers, and weights numbers from 0 on");
    }
    const double target = classes == 1 ? 0 : targets.values[row];
    if (!(target >= 0 && target < static_cast<double>(classes)) || target != std::floor(target)) {
      throw std::invalid_argument("targets are numbers of classes, from 0 on");
    }
    weights[static_cast<std::size_t>(target)] += targets.weights[row];
  }
  for (std::size_t c = 0; c < classes; ++c) {
    if (!(weights[c] > 0)) {
      throw std::invalid_argument(classes == 1 ? std::string("some row has a weight above 0")
                                               : "some row of class " + std::to_string(c) + " has a weight above 0");
    }
  }
}

LossPass::LossPass(const Targets& targets)
    : targets_(targets), free_(targets.loss == Loss::softmax ? targets.outputs - 1 : 1) {}

Derivatives LossPass::at(std::span<const double> scores, std::span<const double> direction, double step,
                         std::span<const double> intercepts, std::span<double> residuals, Workers& workers) {
  const std::size_t rows = targets_.values.size();
  const std::size_t size = free_ + 1;
  const std::size_t width = 1 + size + size * size;
  const std::size_t pieces = (rows + rows_of_a_piece - 1) / rows_of_a_piece;
  sums_.assign(pieces * width, 0.0);
  scratch_.resize(workers.size() * targets_.outputs);
  workers.run(pieces, [&](std::size_t at, std::size_t worker) {
    const Piece span{at * rows_of_a_piece, std::min((at + 1) * rows_of_a_piece, rows)};
    double* sums = &sums_[at * width];
    if (targets_.loss == Loss::softmax) {
      const ManyOutputs many{targets_, scores, direction, step, intercepts, residuals};
      for (std::size_t row = span.begin; row < span.end; ++row)
        many.add(row, &scratch_[worker * targets_.outputs], sums);
      return;
    }
    const OneOutput one{targets_, scores, direction, step, intercepts[0], residuals};
    Values values;
    for (std::size_t from = span.begin; from < span.end; from += block) {
      one.add(values, from, std::min(block, span.end - from), sums);
    }
  });
  std::vector<double> total(width, 0.0);
  for (std::size_t at = 0; at < pieces; ++at) {
    for (std::size_t i = 0; i < width; ++i) total[i] += sums_[at * width + i];
  }
  return derivatives_of(total, size);
}

}  // namespace gristmill::solve::tables
