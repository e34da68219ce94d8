// SPDX-License-Identifier: BSD-3-Clause
// Vectors for tables that are read at random. With pages of the usual 4 KiB the processor spends much of its time
// finding out where pages are, so the system is asked for large ones. It may decline: then all is a little slower.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace gristmill::inline base {

template <class T>
class LargePages {
 public:
  using value_type = T;

  LargePages() = default;
  template <class U>
  explicit LargePages(const LargePages<U>&) noexcept {}

  [[nodiscard]] T* allocate(std::size_t count) {
    if (is_small(count)) return std::allocator<T>().allocate(count);
    const std::size_t bytes = count * sizeof(T);
    void* memory = std::aligned_alloc(page, (bytes + page - 1) / page * page);
    if (memory == nullptr) throw std::bad_alloc();
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    static_cast<void>(madvise(memory, bytes / page * page, MADV_HUGEPAGE));  // the rest of the last page stays unused
#endif
    return static_cast<T*>(memory);
  }

  void deallocate(T* memory, std::size_t count) noexcept {
    if (is_small(count)) {
      std::allocator<T>().deallocate(memory, count);
    } else {
      std::free(memory);
    }
  }

  friend bool operator==(const LargePages&, const LargePages&) { return true; }

 private:
  static constexpr std::size_t page = std::size_t{2} << 20;

  [[nodiscard]] static bool is_small(std::size_t count) { return count < page / sizeof(T); }
};

template <class T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace gristmill::inline base
