// SPDX-License-Identifier: BSD-3-Clause
// A checksum against damage, not against malice: 64 bits, some gigabytes a second.
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

namespace gristmill::inline base {

[[nodiscard]] inline std::uint64_t checksum(std::span<const std::uint8_t> bytes) {
  constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;
  std::array<std::uint64_t, 4> lanes{1, 2, 3, 4};
  const auto mix = [](std::uint64_t lane, std::uint64_t word) { return std::rotl((lane ^ word) * golden, 29); };
  std::size_t at = 0;
  for (; at + sizeof lanes <= bytes.size(); at += sizeof lanes) {
    std::array<std::uint64_t, 4> words;
    std::memcpy(words.data(), bytes.data() + at, sizeof words);
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) lanes[lane] = mix(lanes[lane], words[lane]);
  }
  std::uint64_t sum = bytes.size();
  for (; at < bytes.size(); ++at) sum = mix(sum, bytes[at]);
  for (const std::uint64_t lane : lanes) sum = mix(sum, lane);
  return sum;
}

}  // namespace gristmill::inline base
