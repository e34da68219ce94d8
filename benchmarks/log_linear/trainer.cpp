// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/log_linear/trainer.hpp"

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"

namespace gristmill::benchmarks {
namespace {

constexpr std::size_t between_reports = 256;  // examples

double log1p_exp(double value) {
  return value > 0 ? value + std::log1p(std::exp(-value)) : std::log1p(std::exp(value));
}

}  // namespace

// Conjunctions from the rarest feature to more frequent ones, each with its node.
void LogLinearTrainer::expand(std::span<const rows::Rank> ranks, EdgeMap::Node node, unsigned size, Nodes& found) {
  if (size == options_.degree) return;
  for (std::size_t at = 0; at < ranks.size(); ++at) {
    const EdgeMap::Node child = edges_.make(node, ranks[at]);
    found.push_back(child);
    expand(ranks.first(at), child, size + 1, found);
  }
}

void LogLinearTrainer::catch_up(EdgeMap::Node node) {
  double& weight = weights_[node];
  const double before = weight;
  if (weight > 0) {
    weight = std::max(0.0, weight - (due_ + penalties_[node]));
  } else if (weight < 0) {
    weight = std::min(0.0, weight + (due_ - penalties_[node]));
  }
  penalties_[node] += weight - before;
}

void LogLinearTrainer::step(std::span<const EdgeMap::Node> nodes, std::int32_t label, double rate, double penalty) {
  double sum = 0;
  for (const EdgeMap::Node node : nodes) sum += weights_[node];
  const double slope = static_cast<double>(label) - 1 / (1 + std::exp(-sum));
  due_ += rate * penalty;
  for (const EdgeMap::Node node : nodes) {
    weights_[node] += rate * slope;
    catch_up(node);
  }
}

void LogLinearTrainer::learn(rows::Rows rows, std::span<const std::int32_t> labels, std::size_t passes,
                             Observer& observer) {
  if (book_.size() == 0) book_.rank_by_frequency(rows);
  const auto examples = static_cast<double>(rows.size());
  std::vector<Nodes> expanded(options_.keep_expanded ? rows.size() : 0);
  std::vector<rows::Rank> ranks;
  Nodes here;
  std::size_t done = 0;
  for (std::size_t pass = 0; pass < passes; ++pass) {
    for (std::size_t row = 0; row < rows.size(); ++row, ++done) {
      if (done % between_reports == 0) require(observer, done, passes * rows.size());
      Nodes& nodes = options_.keep_expanded ? expanded[row] : here;
      if (pass == 0 || !options_.keep_expanded) {
        book_.translate(rows[row], ranks);
        nodes.clear();
        expand(ranks, 0, 0, nodes);
        weights_.resize(edges_.size(), 0.0);
        penalties_.resize(edges_.size(), 0.0);
      }
      const double rate = options_.rate * std::pow(options_.decay, static_cast<double>(done) / examples);
      step(nodes, labels[row], rate, options_.penalty / examples);
    }
  }
  expanded_bytes_ = 0;
  for (const Nodes& nodes : expanded) expanded_bytes_ += nodes.capacity() * sizeof(EdgeMap::Node);
  for (EdgeMap::Node node = 1; node < weights_.size(); ++node) catch_up(node);
}

void LogLinearTrainer::collect(std::span<const rows::Rank> ranks, EdgeMap::Node node, unsigned size,
                               double& sum) const {
  if (size == options_.degree) return;
  for (std::size_t at = 0; at < ranks.size(); ++at) {
    const EdgeMap::Node child = edges_.find(node, ranks[at]);
    if (child == EdgeMap::none) continue;
    sum += weights_[child];
    collect(ranks.first(at), child, size + 1, sum);
  }
}

void LogLinearTrainer::score(rows::Rows rows, std::span<double> out) const {
  std::vector<rows::Rank> ranks;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    book_.translate_known(rows[row], ranks);
    out[row] = 0;
    collect(ranks, 0, 0, out[row]);
  }
}

double LogLinearTrainer::objective(rows::Rows rows, std::span<const std::int32_t> labels) const {
  std::vector<double> scores(rows.size());
  score(rows, scores);
  double loss = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) loss += log1p_exp(labels[row] == 1 ? -scores[row] : scores[row]);
  double size = 0;
  for (const double weight : weights_) size += std::abs(weight);
  return (loss + options_.penalty * size) / static_cast<double>(std::max<std::size_t>(rows.size(), 1));
}

std::size_t LogLinearTrainer::used() const {
  return weights_.size() - static_cast<std::size_t>(std::ranges::count(weights_, 0.0));
}

std::size_t LogLinearTrainer::nbytes() const noexcept {
  return edges_.nbytes() + 2 * weights_.size() * sizeof(double) + expanded_bytes_;
}

}  // namespace gristmill::benchmarks
