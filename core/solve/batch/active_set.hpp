// SPDX-License-Identifier: BSD-3-Clause
// The variables that decomposition still looks at, side by side, so that its passes need no indices.
#pragma once
#include <span>
#include <vector>

#include "solve/batch/solver_rows.hpp"

namespace gristmill::solve::batch::smo {

class ActiveSet {
 public:
  // All variables, in order; `examples` outlives the set.
  explicit ActiveSet(std::span<const RowId> examples) : examples_(examples) { fill(); }

  // All variables again. Gradients and what may move are then to be set.
  void fill();
  // Only those for which keep(position).
  template <class Keep>
  void shrink(Keep keep) {
    std::size_t kept = 0;
    for (std::size_t at = 0; at < size(); ++at) {
      if (keep(at)) move(at, kept++);
    }
    cut(kept);
  }

  [[nodiscard]] std::size_t size() const noexcept { return variables.size(); }
  [[nodiscard]] std::size_t padded_size() const noexcept { return F.size(); }
  [[nodiscard]] bool is_full() const noexcept { return size() == examples_.size(); }
  [[nodiscard]] Columns columns() const noexcept { return {numbers_, consecutive_}; }
  [[nodiscard]] RowId example(std::size_t at) const { return numbers_[at]; }

  std::vector<RowId> variables;  // which one stands here
  // Padded (see smo_passes.hpp):
  std::vector<double> F;
  std::vector<double> up;
  std::vector<double> low;
  std::vector<double> diagonal;  // or what the passes want in its place

 private:
  void move(std::size_t from, std::size_t to);
  void cut(std::size_t size);

  std::span<const RowId> examples_;
  std::vector<RowId> numbers_;  // of the examples here
  bool consecutive_ = false;
};

// Whether each is one more than the last.
[[nodiscard]] bool are_consecutive(std::span<const RowId> numbers);

}  // namespace gristmill::solve::batch::smo
