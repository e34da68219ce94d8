// SPDX-License-Identifier: BSD-3-Clause
// The programs of an operator: one for some productions (or labels) each, small ones together.
#pragma once
#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

#include "base/observer.hpp"
#include "forest/productions.hpp"
#include "kernel/tree_kernel.hpp"
#include "operator/program.hpp"

namespace gristmill {

// Thrown where an operator would take more memory, or more time to compile, than allowed.
class OperatorTooLarge : public std::length_error {
 public:
  static OperatorTooLarge bytes(std::size_t max_bytes) {
    return OperatorTooLarge("the compiled operator takes more than max_bytes = " + std::to_string(max_bytes));
  }
  static OperatorTooLarge steps() {
    return OperatorTooLarge("compiling would take longer than some passes over the rows; method='compiled' insists");
  }

 private:
  using std::length_error::length_error;
};

// Thrown where Delta of a subtree with itself leaves the range of double.
class SubtreeRange : public std::range_error {
 public:
  explicit SubtreeRange(SubtreeId id) : std::range_error("Delta leaves the range of double"), subtree(id) {}

  SubtreeId subtree;
};

struct Unit {
  std::vector<std::uint32_t> keys;  // productions, or labels
  std::size_t members = 0;          // subtrees
  Program program;
};
using Units = std::vector<std::shared_ptr<const Unit>>;

struct CompileOptions {
  std::size_t max_bytes = SIZE_MAX;
  std::size_t max_steps = SIZE_MAX;  // some nanoseconds each
  std::size_t threads = 1;

  // What an operator over so many different trees may take to be worth having beside rows: less memory than a triangle
  // of the matrix, and no longer to compile than some passes over its rows (a step takes about as long as a kernel).
  // Small ones always are.
  [[nodiscard]] static CompileOptions worthwhile(std::size_t trees) {
    const std::size_t pairs = trees < (std::size_t{1} << 30U) ? trees * trees : SIZE_MAX / 8;
    return {std::max(std::size_t{64} << 20U, 4 * pairs), std::max(std::size_t{50'000'000}, 4 * pairs), 1};
  }
};

// What is compiled.
struct UnitSource {
  const TreeKernel& kernel;
  const Forest& forest;
  const Subtrees& subtrees;
  const Productions& productions;
  std::size_t known;       // so many subtrees have programs already
  std::size_t used_bytes;  // of max_bytes
};

// Brings the programs of Delta up to date, the longest first; those of productions (labels) without new subtrees stay.
// Returns how many subtrees had to be compiled.
std::size_t update_deltas(const UnitSource& source, const CompileOptions& options, Units& units, Observer& observer);

// What pairs of equal labels count by themselves; nothing, for most kernels.
[[nodiscard]] Units label_units(const UnitSource& source);

}  // namespace gristmill
