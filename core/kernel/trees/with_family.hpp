// SPDX-License-Identifier: BSD-3-Clause
// From a kernel, which is data, to types: the only place that tells families, and plain kernels from marked ones.
#pragma once
#include "kernel/trees/semiring.hpp"
#include "kernel/trees/tree_kernel.hpp"

namespace gristmill::kernel::trees {

struct IdentityFamily {  // knows no marks
  using Value = double;
};
template <class V>
struct ProductionFamily {
  using Value = V;
};
template <class V>
struct SequenceFamily {
  using Value = V;
};

// make(IdentityFamily{}), or one of the others; what they compute in is made of Plain.
template <class Plain = double, class Make>
auto with_family(const TreeKernel& kernel, Make make) {
  switch (kernel.family) {
    case TreeKernel::Family::identity:
      return make(IdentityFamily{});
    case TreeKernel::Family::production:
      return kernel.marked ? make(ProductionFamily<Marked<Plain>>{}) : make(ProductionFamily<Plain>{});
    default:
      return kernel.marked ? make(SequenceFamily<Marked<Plain>>{}) : make(SequenceFamily<Plain>{});
  }
}

}  // namespace gristmill::kernel::trees
