// SPDX-License-Identifier: BSD-3-Clause
// A symmetric linear operator on a list of numbers as flat streams. f += A w is run depth first: a step works on the
// list it is in, or opens another, in which the steps up to `close` work: a slice of this one, or one made of it. The
// same streams read w and write f, since A is symmetric.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gristmill::kernel::gram {

struct Program {
  enum Step : std::uint32_t {
    same,      // f[i] += c * sum of w                         coefs: c
    diagonal,  // f[i] += c[i] * w[i] for neighbours           code: first, how many; coefs: c
    blocks,    // f[i] += c[i, j] * w[j] in sets of m          code: m, first, how many sets of neighbours; coefs:
               // triangles
    dense,     // f[i] += c[i, j] * w[j]                       coefs: triangle
    slice,     // open a part of this list                     code: size, first, skip
    pick,      // open a list of some i                        code: size, skip; places: i
    merge,     // open a list of sums of w                     code: size, skip; places in the new list: for each i
    spread,    // open a list of weighted sums of w            code: size, how many, skip; places: i; places in the new
               //                                              list; coefs: weights
    close,     // back to the list around this one, whose f takes up the results
  };

  // How far the streams are.
  struct Position {
    std::size_t code = 0;
    std::size_t narrow = 0;
    std::size_t wide = 0;
    std::size_t coefs = 0;

    [[nodiscard]] std::size_t total() const noexcept { return code + narrow + wide + coefs; }
  };
  static constexpr std::size_t skip_words = 4;     // how far to go in each stream where all w of a list are 0
  static constexpr std::size_t largest_block = 8;  // rows of a set in `blocks`

  std::vector<std::uint32_t> code;
  std::vector<std::uint16_t> narrow;  // places in lists of no more than 2^16 numbers
  std::vector<std::uint32_t> wide;    // places in longer ones, and in the list the program starts with
  std::vector<double> coefs;
  std::size_t depth = 0;  // most numbers that lists made of one another have together

  static constexpr std::size_t whole =
      SIZE_MAX;  // stands for the size of the list the program starts with: it may grow
  [[nodiscard]] static bool is_narrow(std::size_t list) noexcept { return list <= std::size_t{1} << 16U; }
  [[nodiscard]] Position position() const noexcept { return {code.size(), narrow.size(), wide.size(), coefs.size()}; }
  void shrink() {
    code.shrink_to_fit();
    narrow.shrink_to_fit();
    wide.shrink_to_fit();
    coefs.shrink_to_fit();
  }
  [[nodiscard]] std::size_t nbytes() const noexcept {
    return (code.size() + wide.size()) * sizeof(std::uint32_t) + narrow.size() * sizeof(std::uint16_t) +
           coefs.size() * sizeof(double);
  }
};

// What a thread needs to run programs.
class ProgramRunner {
 public:
  // f += A w for `columns` numbers side by side, which must be 1, 2, 4 or 8: w[i * columns + column]. Each column gets
  // the bits it would get alone.
  void run(const Program& program, std::size_t columns, const double* w, double* f);

 private:
  std::vector<double> arena_;
};

}  // namespace gristmill::kernel::gram
