// SPDX-License-Identifier: BSD-3-Clause
// Which type computes the Delta vectors of a family.
#pragma once
#include "kernel/trees/identity_deltas.hpp"
#include "kernel/trees/production_deltas.hpp"
#include "kernel/trees/sequence_deltas.hpp"
#include "kernel/trees/with_family.hpp"

namespace gristmill::kernel::trees {

IdentityDeltas deltas_of(IdentityFamily);
template <class Value>
ProductionDeltas<Value> deltas_of(ProductionFamily<Value>);
template <class Value>
SequenceDeltas<Value> deltas_of(SequenceFamily<Value>);

template <class Family>
using DeltasOf = decltype(deltas_of(Family{}));

}  // namespace gristmill::kernel::trees
