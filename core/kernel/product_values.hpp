// SPDX-License-Identifier: BSD-3-Clause
// k(x, s) of real rows for many rows s at once, from dot products and squared lengths: loops of vectors.
//
// Within a few units of the last place of SetKernel, and the same bits on every machine but for the sigmoid: exp is our
// own here, where nothing is compared with the scores of other programs.
#pragma once
#include <span>

#include "kernel/set_kernel.hpp"

namespace gristmill::kernel {

// dots[i] becomes k of it and the squared lengths `x` and squares[i]. Throws std::invalid_argument for given kernels,
// and where a value leaves the range of double.
void values_of_products(const SetKernel& kernel, double x, std::span<const double> squares, std::span<double> dots);

}  // namespace gristmill::kernel
