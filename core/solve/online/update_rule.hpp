// SPDX-License-Identifier: BSD-3-Clause
// Perceptron-like rules (Crammer et al. 2006; docs/formulas.md B1): how far to move for a loss.
//
//   perceptron  1                      when the margin is not above 0
//   PA          loss / N               when the margin is below 1, loss = 1 - margin
//   PA-I        min(C, loss / N)
//   PA-II       loss / (N + 1 / 2C)
//
// N is the norm of the example: |x| as in the paper's program, or k(x, x). If it is 0, PA-I steps by C and PA not at
// all. In integers a step is rounded up to a multiple of 2^-e, where e depends on the length of its row and on nothing
// that was seen before: so what is learned does not depend on how a stream is cut.
#pragma once
#include <algorithm>
#include <bit>
#include <vector>

#include "solve/online/arithmetic.hpp"

namespace gristmill::solve::online {

enum class Update { perceptron, pa, pa1, pa2 };
enum class StepNorm { input, kernel };

struct RuleOptions {
  Update update = Update::pa1;
  StepNorm norm = StepNorm::input;
  double cost = 1.0;       // C
  std::size_t budget = 0;  // of support rows; 0: as many as it takes
  // e by the bits that the length of a row, less 1, takes; the last one is for all longer rows too. Empty: steps are
  // rounded to the unit.
  std::vector<int> exponents = {};

  [[nodiscard]] int exponent_for(std::size_t length, int otherwise) const {
    if (exponents.empty()) return otherwise;
    const auto bits = static_cast<std::size_t>(std::bit_width(length - (length > 0 ? 1 : 0)));
    return exponents[std::min(bits, exponents.size() - 1)];
  }
};

template <class Number>
class Rule {
 public:
  Rule(const RuleOptions& options, int exponent)
      : options_(options), one_(one_of<Number>(exponent)), exponent_(exponent) {}

  // Nothing is to be learned from an example with this margin.
  [[nodiscard]] bool is_fine(Number margin) const {
    return options_.update == Update::perceptron ? margin > 0 : margin >= one_;
  }

  // margin: not fine; weight: of the example, multiplies C; length: of its row. 0: there is no step.
  [[nodiscard]] Number step(Number margin, Number norm, double weight, std::size_t length) const {
    return rounded(exact_step(margin, norm, weight), length);
  }

 private:
  [[nodiscard]] Number exact_step(Number margin, Number norm, double weight) const {
    if (options_.update == Update::perceptron) return one_;
    const Number loss = one_ - margin;
    switch (options_.update) {
      case Update::pa1:
        return clipped(loss, norm, rounded_up<Number>(options_.cost * weight, exponent_));
      case Update::pa2:
        return softened(loss, norm, 1 / (2 * options_.cost * weight));
      default:
        return quotient(loss, norm);
    }
  }
  // Up, from units to what steps of such rows are multiples of.
  [[nodiscard]] Number rounded(Number size, std::size_t length) const {
    if constexpr (is_integer<Number>) {
      const int shift = exponent_ - options_.exponent_for(length, exponent_);
      if (size > 0 && shift > 0) return (((size - 1) >> shift) + 1) << shift;
    }
    return size;
  }
  [[nodiscard]] static Number clipped(Number loss, Number norm, Number largest) {
    return norm > 0 ? std::min(quotient(loss, norm), largest) : largest;
  }
  // Rounded up: a step that is not cut short closes the gap.
  [[nodiscard]] static Number quotient(Number loss, Number norm) {
    if (norm == 0) return 0;
    if constexpr (is_integer<Number>) {
      return (loss - 1) / norm + 1;  // the loss is above 0; adding to it could leave the range
    } else {
      return loss / norm;
    }
  }
  [[nodiscard]] static Number softened(Number loss, Number norm, double extra) {
    const double step = static_cast<double>(loss) / (static_cast<double>(norm) + extra);
    if constexpr (is_integer<Number>) {
      return whole<Number>(std::ceil(step));
    } else {
      return step;
    }
  }

  RuleOptions options_;
  Number one_;
  int exponent_;
};

}  // namespace gristmill::solve::online
