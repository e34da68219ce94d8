// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/trees/tree_rows.hpp"

#include "kernel/trees/delta_rows.hpp"
#include "kernel/trees/deltas_of.hpp"

namespace gristmill::kernel::trees {

std::unique_ptr<TreeRows> make_tree_rows(const TreeKernel& kernel, std::shared_ptr<const forest::SubtreeIndex> index,
                                         std::size_t max_bytes) {
  return with_family(kernel, [&]<class Family>(Family) -> std::unique_ptr<TreeRows> {
    return std::make_unique<DeltaRows<DeltasOf<Family>>>(kernel, std::move(index), max_bytes);
  });
}

}  // namespace gristmill::kernel::trees
