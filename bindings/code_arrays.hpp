// SPDX-License-Identifier: BSD-3-Clause
// Tables of codes across the border: borrowed, columns in one piece, bytes or 16 bits.
#pragma once
#include <nanobind/ndarray.h>

#include <cstdint>
#include <span>
#include <stdexcept>

#include "solve/tables/codes.hpp"

namespace gristmill::bindings {

template <class Code>
using CodeArray = nanobind::ndarray<const Code, nanobind::ndim<2>, nanobind::f_contig, nanobind::device::cpu>;

template <class Code>
[[nodiscard]] solve::tables::Codes codes_of(const CodeArray<Code>& array, std::span<const std::uint32_t> bins) {
  if (array.shape(1) != bins.size()) throw std::invalid_argument("there is a number of bins for each column");
  solve::tables::Codes codes{array.shape(0), {bins.begin(), bins.end()}, {}, {}};
  if constexpr (sizeof(Code) == 1) {
    codes.narrow = {array.data(), array.size()};
  } else {
    codes.wide = {array.data(), array.size()};
  }
  return codes;
}

}  // namespace gristmill::bindings
