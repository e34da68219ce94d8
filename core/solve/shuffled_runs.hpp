// SPDX-License-Identifier: BSD-3-Clause
// The order in which coordinate descent visits examples: neighbours together, since they lie together in memory; runs
// of them in another order every time.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace gristmill::solve {

class ShuffledRuns {
 public:
  // length: of a run. The longer, the nearer in memory; but neighbours are often alike, and then one visit spoils the
  // other.
  explicit ShuffledRuns(std::size_t length, std::uint32_t seed = 5489) : length_(length), random_(seed) {}

  // visit(begin, end) for each run of what is numbered below `size`; as many as there are now, should visits leave any
  // out.
  template <class Visit>
  void for_each(std::size_t size, Visit visit) {
    shuffle((size + length_ - 1) / length_);
    for (const std::uint32_t run : runs_) visit(run * length_, std::min((run + 1) * length_, size));
  }

 private:
  void shuffle(std::size_t count) {
    runs_.resize(count);
    std::iota(runs_.begin(), runs_.end(), 0U);
    for (std::size_t at = count; at > 1; --at) {
      const auto other = static_cast<std::size_t>((std::uint64_t{random_()} * at) >> 32U);
      std::swap(runs_[at - 1], runs_[other]);
    }
  }

  std::size_t length_;
  std::mt19937 random_;
  std::vector<std::uint32_t> runs_;
};

}  // namespace gristmill::solve
