// SPDX-License-Identifier: BSD-3-Clause
// From a kernel, which is data, to the type that computes its Delta: the only place that knows all of them.
#pragma once
#include "kernel/trees/identity_deltas.hpp"
#include "kernel/trees/production_deltas.hpp"
#include "kernel/trees/sequence_deltas.hpp"

namespace gristmill::kernel::trees {

template <class T>
struct TypeTag {
  using Type = T;
};

// make(TypeTag<Deltas>{})
template <class Make>
auto with_deltas(const TreeKernel& kernel, Make make) {
  using Family = TreeKernel::Family;
  if (kernel.family == Family::identity) return make(TypeTag<IdentityDeltas>{});
  if (kernel.family == Family::production) {
    return kernel.marked ? make(TypeTag<ProductionDeltas<MarkedValue>>{}) : make(TypeTag<ProductionDeltas<double>>{});
  }
  return kernel.marked ? make(TypeTag<SequenceDeltas<MarkedValue>>{}) : make(TypeTag<SequenceDeltas<double>>{});
}

}  // namespace gristmill::kernel::trees
