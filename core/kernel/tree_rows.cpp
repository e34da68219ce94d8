// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/tree_rows.hpp"

#include "kernel/delta_rows.hpp"
#include "kernel/mirror.hpp"
#include "kernel/with_deltas.hpp"

namespace gristmill {

void TreeRows::fill_symmetric(std::span<const double> scales, std::span<double> out, std::size_t threads,
                              Observer& observer) const {
  fill_lower(0, size(), scales, out, threads, observer);
  mirror_lower(out, size(), threads, observer);
}

std::unique_ptr<TreeRows> make_tree_rows(const TreeKernel& kernel, std::shared_ptr<const SubtreeIndex> index,
                                         std::size_t max_bytes) {
  return with_deltas(kernel, [&]<class Tag>(Tag) -> std::unique_ptr<TreeRows> {
    return std::make_unique<DeltaRows<typename Tag::Type>>(kernel, std::move(index), max_bytes);
  });
}

}  // namespace gristmill
