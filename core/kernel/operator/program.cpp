// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/operator/program.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <type_traits>

namespace gristmill::kernel::gram {

constexpr std::size_t ahead = 16;  // places are asked for before they are needed

// One run with so many columns.
template <std::size_t columns>
class Run {
 public:
  Run(const Program& program, const double* w, double* f, std::vector<double>& arena)
      : end_(program.code.data() + program.code.size()),
        at_{program.code.data(), program.narrow.data(), program.wide.data(), program.coefs.data()} {
    arena.resize(2 * program.depth * columns);
    levels_.push_back({w, f, Program::whole, arena.data(), {}, Program::close});
  }

  void operator()() {
    while (at_.code != end_) {
      switch (*at_.code++) {
        case Program::same:
          add_same();
          break;
        case Program::diagonal:
          add_diagonal();
          break;
        case Program::blocks:
          add_blocks();
          break;
        case Program::dense:
          add_dense();
          break;
        case Program::slice:
          open_slice();
          break;
        case Program::pick:
          open(Program::pick);
          break;
        case Program::merge:
          open(Program::merge);
          break;
        case Program::spread:
          open(Program::spread);
          break;
        default:
          close();
      }
    }
  }

 private:
  struct Cursor {
    const std::uint32_t* code;
    const std::uint16_t* narrow;
    const std::uint32_t* wide;
    const double* coefs;
  };
  struct Level {
    const double* w;
    double* f;
    std::size_t size;
    double* free;      // where the next list may be put
    Cursor opened;     // what follows the size of the list
    std::uint32_t by;  // the step that opened it
  };

  [[nodiscard]] const Level& here() const { return levels_.back(); }

  // use(stream of places in a list of this size)
  template <class Use>
  void with_places(std::size_t list, Use use) {
    Program::is_narrow(list) ? use(at_.narrow) : use(at_.wide);
  }

  // In lanes, since additions wait for one another.
  void add_same() {
    constexpr std::size_t lanes = 4;
    const Level& level = here();
    std::array<double, lanes * columns> parts{};
    std::size_t at = 0;
    for (; at + lanes <= level.size; at += lanes) {
      for (std::size_t k = 0; k < lanes * columns; ++k) parts[k] += level.w[at * columns + k];
    }
    for (; at < level.size; ++at) {
      for (std::size_t k = 0; k < columns; ++k) parts[k] += level.w[at * columns + k];
    }
    std::array<double, columns> sums{};
    for (std::size_t k = 0; k < lanes * columns; ++k) sums[k % columns] += parts[k];
    const double coef = *at_.coefs++;
    for (double& sum : sums) sum *= coef;
    for (at = 0; at < level.size; ++at) {
      for (std::size_t k = 0; k < columns; ++k) level.f[at * columns + k] += sums[k];
    }
  }

  void add_diagonal() {
    const std::size_t first = *at_.code++ * columns;
    const std::size_t count = *at_.code++;
    const double* w = here().w + first;
    double* f = here().f + first;
    for (std::size_t at = 0; at < count; ++at) {
      for (std::size_t k = 0; k < columns; ++k) f[at * columns + k] += at_.coefs[at] * w[at * columns + k];
    }
    at_.coefs += count;
  }

  void add_blocks() {
    const std::size_t size = *at_.code++;
    const std::size_t first = *at_.code++ * columns;
    const std::size_t count = *at_.code++;
    add_blocks(size, count, here().w + first, here().f + first);
  }

  void add_dense() {
    const Level& level = here();
    if (level.size > 1 && level.size <= Program::largest_block) {
      add_blocks(level.size, 1, level.w, level.f);
    } else {
      add_triangle(level.size, level.w, level.f);
    }
  }

  void add_blocks(std::size_t size, std::size_t count, const double* w, double* f) {
    switch (size) {
      case 2:
        return add_blocks<2>(count, w, f);
      case 3:
        return add_blocks<3>(count, w, f);
      case 4:
        return add_blocks<4>(count, w, f);
      case 5:
        return add_blocks<5>(count, w, f);
      case 6:
        return add_blocks<6>(count, w, f);
      case 7:
        return add_blocks<7>(count, w, f);
      default:
        return add_blocks<8>(count, w, f);
    }
  }

  template <std::size_t size>
  void add_blocks(std::size_t count, const double* w, double* f) {
    for (std::size_t block = 0; block < count; ++block) {
      add_block<size>(w, f);
      w += size * columns;
      f += size * columns;
    }
  }

  // As add_triangle does, unrolled.
  template <std::size_t size>
  [[gnu::always_inline]] void add_block(const double* w, double* f) {
    const double* coefs = at_.coefs;
    std::array<double, size * columns> out;
    std::copy_n(f, size * columns, out.begin());
#pragma GCC unroll 8
    for (std::size_t i = 0; i < size; ++i) {
      std::array<double, columns> sums{};
#pragma GCC unroll 8
      for (std::size_t j = 0; j < i; ++j) {
        for (std::size_t k = 0; k < columns; ++k) {
          sums[k] += coefs[j] * w[j * columns + k];
          out[j * columns + k] += coefs[j] * w[i * columns + k];
        }
      }
      for (std::size_t k = 0; k < columns; ++k) out[i * columns + k] += sums[k] + coefs[i] * w[i * columns + k];
      coefs += i + 1;
    }
    std::copy_n(out.begin(), size * columns, f);
    at_.coefs = coefs;
  }

  [[gnu::always_inline]] void add_triangle(std::size_t size, const double* w, double* f) {
    const double* coefs = at_.coefs;
    for (std::size_t i = 0; i < size; ++i) {
      std::array<double, columns> sums{};
      for (std::size_t j = 0; j < i; ++j, ++coefs) {
        for (std::size_t k = 0; k < columns; ++k) {
          sums[k] += *coefs * w[j * columns + k];
          f[j * columns + k] += *coefs * w[i * columns + k];
        }
      }
      for (std::size_t k = 0; k < columns; ++k) f[i * columns + k] += sums[k] + *coefs * w[i * columns + k];
      ++coefs;
    }
    at_.coefs = coefs;
  }

  void open_slice() {
    const std::size_t size = *at_.code++;
    const Cursor opened = at_;
    const Level& level = here();
    const std::size_t first = *at_.code++ * columns;
    const std::uint32_t* skip = at_.code;
    at_.code += Program::skip_words;
    const double* w = level.w + first;
    if (are_zero(w, size)) return leave(opened, skip);
    levels_.push_back({w, level.f + first, size, level.free, opened, Program::slice});
  }

  void open(std::uint32_t by) {
    const std::size_t size = *at_.code++;
    const Cursor opened = at_;
    const Level& level = here();
    double* w = level.free;
    double* f = w + size * columns;
    const std::size_t count = by == Program::spread ? *at_.code++ : 0;
    const std::uint32_t* skip = at_.code;
    at_.code += Program::skip_words;
    std::fill(w, f, 0.0);
    transfer(by, size, count, level.w, w);
    if (are_zero(w, size)) return leave(opened, skip);
    std::fill(f, f + size * columns, 0.0);
    levels_.push_back({w, f, size, f + size * columns, opened, by});
  }

  [[nodiscard]] static bool are_zero(const double* w, std::size_t size) {
    return std::all_of(w, w + size * columns, [](double weight) { return weight == 0; });
  }
  void leave(const Cursor& opened, const std::uint32_t* skip) {
    at_ = {opened.code + skip[0], opened.narrow + skip[1], opened.wide + skip[2], opened.coefs + skip[3]};
  }

  void close() {
    const Level closed = here();
    levels_.pop_back();
    if (closed.by == Program::slice) return;  // wrote to the list around it
    const Cursor after = at_;
    at_ = closed.opened;
    const std::size_t count = closed.by == Program::spread ? *at_.code++ : 0;
    transfer(closed.by, closed.size, count, here().f, closed.f);
    at_ = after;
  }

  // From the numbers of this list to those of the one made of it, or back if the former may be written.
  template <class Old>
  void transfer(std::uint32_t by, std::size_t size, std::size_t count, Old* old, double* made) {
    const std::size_t list = here().size;
    if (by == Program::pick) {
      with_places(list, [&](auto& places) {
        for (std::size_t at = 0; at < size; ++at) {
          if (at + ahead < size) __builtin_prefetch(old + places[at + ahead] * columns);
          add(old + places[at] * columns, made + at * columns, 1.0);
        }
        places += size;
      });
    } else if (by == Program::merge) {
      with_places(size, [&](auto& places) {
        for (std::size_t at = 0; at < list; ++at) add(old + at * columns, made + places[at] * columns, 1.0);
        places += list;
      });
    } else {
      with_places(list, [&](auto& sources) {
        const auto* from = sources;
        sources += count;
        with_places(size, [&](auto& places) {
          for (std::size_t at = 0; at < count; ++at) {
            add(old + from[at] * columns, made + places[at] * columns, at_.coefs[at]);
          }
          places += count;
        });
      });
      at_.coefs += count;
    }
  }

  [[gnu::always_inline]] static void add(const double* old, double* made, double weight) {
    for (std::size_t k = 0; k < columns; ++k) made[k] += weight * old[k];
  }
  [[gnu::always_inline]] static void add(double* old, double* made, double weight) {
    for (std::size_t k = 0; k < columns; ++k) old[k] += weight * made[k];
  }

  const std::uint32_t* end_;
  Cursor at_;
  std::vector<Level> levels_;
};

void ProgramRunner::run(const Program& program, std::size_t columns, const double* w, double* f) {
  switch (columns) {
    case 1:
      return Run<1>(program, w, f, arena_)();
    case 2:
      return Run<2>(program, w, f, arena_)();
    case 4:
      return Run<4>(program, w, f, arena_)();
    case 8:
      return Run<8>(program, w, f, arena_)();
    default:
      throw std::invalid_argument("programs run on 1, 2, 4 or 8 columns");
  }
}

}  // namespace gristmill::kernel::gram
