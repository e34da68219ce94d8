// SPDX-License-Identifier: BSD-3-Clause
#include "solve/cutting_plane/plane_set.hpp"

namespace gristmill::solve::cutting_plane {

PlaneSet::Bits bits_of(std::span<const bool> chosen) {
  PlaneSet::Bits bits((chosen.size() + 63) / 64, 0);
  for (std::size_t v = 0; v < chosen.size(); ++v) bits[v / 64] |= std::uint64_t{chosen[v]} << (v % 64);
  return bits;
}

void PlaneSet::keep(std::span<const std::uint32_t> planes) {
  std::size_t count = 0;
  for (const std::uint32_t plane : planes) {
    if (plane != count) planes_[count] = std::move(planes_[plane]);
    ++count;
  }
  planes_.resize(count);
}

std::vector<double> PlaneSet::dots(std::span<const double> values) const {
  std::vector<double> of_shares(shares_.size());
  for (std::size_t v = 0; v < of_shares.size(); ++v) of_shares[v] = shares_[v] * values[v];
  std::vector<double> found;
  found.reserve(planes_.size());
  for (const auto& plane : planes_) {
    double sum = 0;
    if (const auto* sample = std::get_if<Sample>(&plane)) {
      for (std::size_t at = 0; at < sample->variables.size(); ++at) {
        sum += sample->weights[at] * values[sample->variables[at]];
      }
    } else {
      for_each_bit(std::get<Bits>(plane), [&](std::size_t v) { sum += of_shares[v]; });
    }
    found.push_back(sum);
  }
  return found;
}

std::pair<double, double> PlaneSet::sums_of_last(std::span<const std::int8_t> signs) const {
  double plain = 0;
  double with_signs = 0;
  const auto count = [&](std::size_t v, double weight) {
    plain += weight;
    with_signs += signs[v] * weight;
  };
  if (const auto* sample = std::get_if<Sample>(&planes_.back())) {
    for (std::size_t at = 0; at < sample->variables.size(); ++at) count(sample->variables[at], sample->weights[at]);
  } else {
    for_each_bit(std::get<Bits>(planes_.back()), [&](std::size_t v) { count(v, shares_[v]); });
  }
  return {plain, with_signs};
}

void PlaneSet::accumulate(std::span<const double> factors, std::span<double> out) const {
  std::vector<double> times(shares_.size(), 0.0);  // each share
  for (std::size_t plane = 0; plane < planes_.size(); ++plane) {
    if (factors[plane] == 0) continue;
    if (const auto* sample = std::get_if<Sample>(&planes_[plane])) {
      for (std::size_t at = 0; at < sample->variables.size(); ++at) {
        out[sample->variables[at]] += factors[plane] * sample->weights[at];
      }
    } else {
      for_each_bit(std::get<Bits>(planes_[plane]), [&](std::size_t v) { times[v] += factors[plane]; });
    }
  }
  for (std::size_t v = 0; v < times.size(); ++v) out[v] += times[v] * shares_[v];
}

std::size_t PlaneSet::nbytes() const {
  std::size_t bytes = shares_.size() * sizeof(double);
  for (const auto& plane : planes_) {
    if (const auto* sample = std::get_if<Sample>(&plane)) {
      bytes += sample->variables.size() * (sizeof(std::uint32_t) + sizeof(double));
    } else {
      bytes += std::get<Bits>(plane).size() * sizeof(std::uint64_t);
    }
  }
  return bytes;
}

}  // namespace gristmill::solve::cutting_plane
