// SPDX-License-Identifier: BSD-3-Clause
// The programs of an operator: one for some productions (or labels) each, small ones together.
#pragma once
#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

#include "base/observer.hpp"
#include "forest/productions.hpp"
#include "kernel/operator/program.hpp"
#include "kernel/trees/tree_kernel.hpp"

namespace gristmill::kernel::gram {

// Thrown where an operator would take more memory, or more time to compile, than allowed.
class OperatorTooLargeError : public std::length_error {
 public:
  static OperatorTooLargeError bytes(std::size_t max_bytes) {
    return OperatorTooLargeError("the compiled operator takes more than max_bytes = " + std::to_string(max_bytes));
  }
  static OperatorTooLargeError steps() {
    return OperatorTooLargeError(
        "compiling would take longer than some passes over the rows; method='compiled' insists");
  }

 private:
  using std::length_error::length_error;
};

// Thrown where Delta of a subtree with itself leaves the range of double.
class SubtreeRange : public std::range_error {
 public:
  explicit SubtreeRange(forest::SubtreeId id) : std::range_error("Delta leaves the range of double"), subtree(id) {}

  forest::SubtreeId subtree;
};

struct ProgramGroup {
  std::vector<std::uint32_t> keys;  // productions, or labels
  std::size_t members = 0;          // subtrees
  Program program;
};
using ProgramGroups = std::vector<std::shared_ptr<const ProgramGroup>>;

struct CompileOptions {
  std::size_t max_bytes = SIZE_MAX;
  std::size_t max_steps = SIZE_MAX;  // some nanoseconds each
  std::size_t threads = 1;

  // Throws OperatorTooLargeError. Lists that wait to be taken apart are gone in the end, so they do not count with what
  // is made: they may take as much as that may, and some megabytes in any case.
  void check_bytes(std::size_t made, std::size_t waiting) const {
    constexpr std::size_t harmless = std::size_t{4} << 20U;
    if (made > max_bytes || waiting > std::max(max_bytes, harmless)) throw OperatorTooLargeError::bytes(max_bytes);
  }

  // What an operator over so many different trees may take to be worth having beside rows: less memory than a triangle
  // of the matrix, and no longer to compile than some passes over its rows (a step takes about as long as a kernel).
  // Small ones always are.
  [[nodiscard]] static CompileOptions worthwhile(std::size_t trees) {
    const std::size_t pairs = trees < (std::size_t{1} << 30U) ? trees * trees : SIZE_MAX / 8;
    return {std::max(std::size_t{64} << 20U, 4 * pairs), std::max(std::size_t{50'000'000}, 4 * pairs), 1};
  }
};

// What is compiled.
struct GroupSource {
  const trees::TreeKernel& kernel;
  const forest::Forest& forest;
  const forest::Subtrees& subtrees;
  const forest::Productions& productions;
  std::size_t known;       // so many subtrees have programs already
  std::size_t used_bytes;  // of max_bytes
};

// Brings the programs of Delta up to date, the longest first; those of productions (labels) without new subtrees stay.
// Returns how many subtrees had to be compiled.
std::size_t update_deltas(const GroupSource& source, const CompileOptions& options, ProgramGroups& groups,
                          Observer& observer);

// What pairs of equal labels count by themselves; nothing, for most kernels.
[[nodiscard]] ProgramGroups label_groups(const GroupSource& source);

}  // namespace gristmill::kernel::gram
