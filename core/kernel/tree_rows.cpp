// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/tree_rows.hpp"

#include "kernel/delta_rows.hpp"
#include "kernel/with_deltas.hpp"

namespace gristmill {

std::unique_ptr<TreeRows> make_tree_rows(const TreeKernel& kernel, std::shared_ptr<const SubtreeIndex> index,
                                         std::size_t max_bytes) {
  return with_deltas(kernel, [&]<class Tag>(Tag) -> std::unique_ptr<TreeRows> {
    return std::make_unique<DeltaRows<typename Tag::Type>>(kernel, std::move(index), max_bytes);
  });
}

}  // namespace gristmill
