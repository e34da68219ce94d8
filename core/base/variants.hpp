// SPDX-License-Identifier: BSD-3-Clause
// GRISTMILL_VARIANTS before a function compiles it once for the plain architecture and once for each instruction set
// below; the loader picks at start-up. Only loops with a fixed order of lanes and sums may carry it: every variant then
// gives the same bits (the build forbids contraction to fused multiply-add).
//
// What such a function calls must be GRISTMILL_INLINE: a function of its own would be compiled for the plain
// architecture.
#pragma once

#define GRISTMILL_INLINE [[gnu::always_inline]] inline

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define GRISTMILL_VARIANTS __attribute__((target_clones("default", "avx2")))
#else
#define GRISTMILL_VARIANTS
#endif
