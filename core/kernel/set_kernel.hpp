// SPDX-License-Identifier: BSD-3-Clause
// Kernels of sets. A binary row is the set of its features, and k(x, s) depends on three counts: the m features that x
// and s share, the |x| of x and the |s| of s.
//
//   polynomial  (gamma m + coef0)^degree           sigmoid  tanh(gamma m + coef0)
//   RBF         exp(-gamma (|x| + |s| - 2 m))      cosine   m / sqrt(|x| |s|), 0 where one of them is empty
//   Tanimoto    m / (|x| + |s| - m)                Dice     2 m / (|x| + |s|); both 1 of two empty rows
//   given       g(m, |x|, |s|), whatever somebody says it is
//
// With the dot product in place of m and squared lengths in place of |x| and |s|, all but the last are kernels of real
// rows. exp and tanh are the system's: scores are then LIBSVM's to the last bit on the same machine.
#pragma once
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "base/types.hpp"
#include "kernel/polynomial.hpp"

namespace gristmill::kernel {

// Rounding may leave a little less than 0 of the distance of real rows.
struct RbfKernel {
  double gamma;
  [[nodiscard]] double operator()(double dot, double x, double s) const noexcept {
    return std::exp(-gamma * std::max(0.0, x + s - 2 * dot));
  }
};

struct TanimotoKernel {
  [[nodiscard]] double operator()(double dot, double x, double s) const noexcept {
    const double either = x + s - dot;
    return either > 0 ? dot / either : 1.0;
  }
};

struct SigmoidKernel {
  double gamma;
  double coef0;
  [[nodiscard]] double operator()(double dot) const noexcept { return std::tanh(gamma * dot + coef0); }
};

struct CosineKernel {
  [[nodiscard]] double operator()(double dot, double x, double s) const noexcept {
    const double both = x * s;
    return both > 0 ? dot / std::sqrt(both) : 0.0;
  }
};

struct DiceKernel {
  [[nodiscard]] double operator()(double dot, double x, double s) const noexcept {
    const double sum = x + s;
    return sum > 0 ? 2 * dot / sum : 1.0;
  }
};

// Values that somebody gives for one length of x and several of s at once.
struct GivenKernel {
  // out: for each length l of s in turn g(0, x, l), ..., g(l, x, l); what is beyond g(x, x, l) is not looked at.
  using Fill = std::function<void(std::size_t x, std::span<const std::int32_t> lengths, std::span<double> out)>;
  Fill fill;
  [[nodiscard]] double operator()(double dot, double x, double s) const;
};

// k by one of these forms, whatever it looks at.
template <class Form>
[[nodiscard]] double value_of(const Form& form, double dot, double x, double s) {
  if constexpr (std::invocable<const Form&, double>) {
    return form(dot);
  } else {
    return form(dot, x, s);
  }
}

class SetKernel {
 public:
  using Form =
      std::variant<PolynomialKernel, RbfKernel, TanimotoKernel, SigmoidKernel, CosineKernel, DiceKernel, GivenKernel>;

  template <class Kernel>
    requires std::constructible_from<Form, Kernel>
  SetKernel(Kernel kernel) : form_(std::move(kernel)) {}  // NOLINT(google-explicit-constructor): each is one

  [[nodiscard]] const Form& form() const noexcept { return form_; }

  // k of two rows with this dot product and these squared lengths; of binary rows: the overlap and the lengths.
  [[nodiscard]] double operator()(double dot, double x, double s) const;

  // Whether the overlap alone decides.
  [[nodiscard]] bool by_overlap() const noexcept;
  // k at overlaps 0, ..., largest, of such a kernel; throws std::invalid_argument where a value leaves the range of
  // double.
  [[nodiscard]] std::vector<double> values(std::size_t largest) const;

  [[nodiscard]] bool is_polynomial() const noexcept { return std::holds_alternative<PolynomialKernel>(form_); }
  // Throws std::invalid_argument for other kernels.
  [[nodiscard]] const PolynomialKernel& polynomial() const;

 private:
  Form form_;
};

}  // namespace gristmill::kernel
