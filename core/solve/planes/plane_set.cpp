// SPDX-License-Identifier: BSD-3-Clause
#include "solve/planes/plane_set.hpp"

namespace gristmill {

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

double PlaneSet::dot(std::size_t plane, std::span<const double> values) const {
  double sum = 0;
  if (const auto* sample = std::get_if<Sample>(&planes_[plane])) {
    for (std::size_t at = 0; at < sample->variables.size(); ++at) {
      sum += sample->weights[at] * values[sample->variables[at]];
    }
  } else {
    for_each_bit(std::get<Bits>(planes_[plane]), [&](std::size_t v) { sum += shares_[v] * values[v]; });
  }
  return sum;
}

void PlaneSet::accumulate(std::size_t plane, double factor, std::span<double> out) const {
  if (const auto* sample = std::get_if<Sample>(&planes_[plane])) {
    for (std::size_t at = 0; at < sample->variables.size(); ++at) {
      out[sample->variables[at]] += factor * sample->weights[at];
    }
  } else {
    for_each_bit(std::get<Bits>(planes_[plane]), [&](std::size_t v) { out[v] += factor * shares_[v]; });
  }
}

std::size_t PlaneSet::nbytes() const noexcept {
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

}  // namespace gristmill
