// SPDX-License-Identifier: BSD-3-Clause
#include "solve/tables/memory.hpp"

#include <algorithm>
#include <array>

#include "base/variants.hpp"

namespace gristmill::solve::tables {
namespace {

constexpr std::size_t most = 10;  // steps that are remembered
constexpr std::size_t dot_block = 8192;

// Eight lanes, whatever the machine has.
GRISTMILL_VARIANTS double dot_of_block(const double* a, const double* b, std::size_t size) {
  std::array<double, 8> lanes{};
  std::size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    for (std::size_t lane = 0; lane < 8; ++lane) lanes[lane] += a[i + lane] * b[i + lane];
  }
  for (std::size_t lane = 0; i < size; ++i, ++lane) lanes[lane] += a[i] * b[i];
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

std::size_t blocks_of(std::size_t size) { return (size + dot_block - 1) / dot_block; }

}  // namespace

double dot(std::span<const double> a, std::span<const double> b, Workers& workers) {
  std::vector<double> sums(blocks_of(a.size()));
  workers.run(sums.size(), [&](std::size_t at, std::size_t) {
    const std::size_t begin = at * dot_block;
    sums[at] = dot_of_block(&a[begin], &b[begin], std::min(dot_block, a.size() - begin));
  });
  double sum = 0;
  for (const double part : sums) sum += part;
  return sum;
}

void add_scaled(std::span<double> a, double factor, std::span<const double> b, Workers& workers) {
  workers.run(blocks_of(a.size()), [&](std::size_t at, std::size_t) {
    for (std::size_t i = at * dot_block; i < std::min((at + 1) * dot_block, a.size()); ++i) a[i] += factor * b[i];
  });
}

void Memory::clear() noexcept {
  count_ = 0;
  next_ = 0;
  scale_ = 1;
}

void Memory::add(std::span<const double> step, std::span<const double> change, Workers& workers) {
  const double product = product_(step, change, workers);
  const double square = product_(change, change, workers);
  if (!(product > 0) || !(square > 0)) return;
  if (pairs_.size() < most) pairs_.resize(most);
  Pair& pair = pairs_[next_];
  pair.step.assign(step.begin(), step.end());
  pair.change.assign(change.begin(), change.end());
  pair.product = product;
  scale_ = product / square;
  next_ = (next_ + 1) % most;
  count_ = std::min(count_ + 1, most);
}

void Memory::multiply(std::span<double> vector, Workers& workers) const {
  std::vector<double> factors(count_);
  for (std::size_t back = 0; back < count_; ++back) {
    const Pair& pair = pairs_[(next_ + most - 1 - back) % most];
    factors[back] = product_(pair.step, vector, workers) / pair.product;
    add_scaled(vector, -factors[back], pair.change, workers);
  }
  for (double& value : vector) value *= scale_;
  for (std::size_t back = count_; back-- > 0;) {
    const Pair& pair = pairs_[(next_ + most - 1 - back) % most];
    const double factor = product_(pair.change, vector, workers) / pair.product;
    add_scaled(vector, factors[back] - factor, pair.step, workers);
  }
}

}  // namespace gristmill::solve::tables
