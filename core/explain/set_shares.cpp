// SPDX-License-Identifier: BSD-3-Clause
#include "explain/set_shares.hpp"

#include <algorithm>
#include <cmath>

#include "explain/drawn_shares.hpp"
#include "explain/power_means.hpp"

namespace gristmill::explain {
namespace {

struct Values {
  double in;
  double out;
};

struct Pairs {
  double ii;
  double io;
  double oo;
};

// --- one class for each kind of kernel: values and pairs by length of s and overlap ----------------------------------

class RbfShares {
 public:
  RbfShares(const kernel::RbfKernel& kernel, std::size_t n)
      : gamma_(kernel.gamma),
        lost_(-std::expm1(-kernel.gamma)),
        n_(n),
        one_(gamma_, n > 0 ? n - 1 : 0),
        two_(gamma_, n > 1 ? n - 2 : 0) {}

  void set_length(std::size_t s) { s_ = s; }

  [[nodiscard]] Values values(std::size_t m) const {
    const double scale = nearest(m) * lost_;
    return {m > 0 ? scale * one_[m - 1] : 0.0, m < n_ ? -scale * one_[m] : 0.0};
  }
  [[nodiscard]] Pairs pairs(std::size_t m) const {
    const double scale = nearest(m) * lost_ * lost_;
    return {m > 1 ? scale * two_[m - 2] : 0.0, m > 0 && m < n_ ? -scale * two_[m - 1] : 0.0,
            m + 1 < n_ ? scale * two_[m] : 0.0};
  }

 private:
  [[nodiscard]] double nearest(std::size_t m) const { return std::exp(-gamma_ * static_cast<double>(s_ - m)); }

  double gamma_;
  double lost_;  // 1 - t
  std::size_t n_;
  std::size_t s_ = 0;
  PowerMeans one_;
  PowerMeans two_;
};

// The empty support row is equal to the empty example and to no other.
Values of_empty_row(std::size_t n) { return {0.0, n > 0 ? -1.0 / static_cast<double>(n) : 0.0}; }
Pairs pairs_of_empty_row(std::size_t n) { return {0.0, 0.0, n > 1 ? 1.0 / static_cast<double>(n - 1) : 0.0}; }

class TanimotoShares {
 public:
  TanimotoShares(const kernel::TanimotoKernel&, std::size_t n) : n_(n), gains_(n + 1), losses_(n + 1), bends_(n + 1) {}

  void set_length(std::size_t s) {
    s_ = static_cast<double>(s);
    if (s == 0) return;
    double gain = 0.0;
    double loss = 0.0;
    double bend = 0.0;
    for (std::size_t u = 0; u <= n_; ++u) {
      const auto q = static_cast<double>(u) + s_;  // before the next one comes
      losses_[u] = loss;
      gain += 1.0 / q;
      gains_[u] = gain;
      loss += static_cast<double>(u + 1) / (q * (q + 1));
      if (u >= 2) bend += static_cast<double>(u - 1) * 2.0 / ((q - 2) * (q - 1) * q);
      bends_[u] = bend;
    }
  }

  [[nodiscard]] Values values(std::size_t m) const {
    if (s_ == 0) return of_empty_row(n_);
    const std::size_t u = n_ - m;
    const auto places = static_cast<double>(u + 1);
    const double out = u > 0 ? -static_cast<double>(m) * losses_[u] / (static_cast<double>(u) * places) : 0.0;
    return {m > 0 ? gains_[u] / places : 0.0, out};
  }
  [[nodiscard]] Pairs pairs(std::size_t m) const {
    if (s_ == 0) return pairs_of_empty_row(n_);
    const std::size_t u = n_ - m;
    const auto places = static_cast<double>(u);
    const double io = m > 0 && u > 0 ? -1.0 / (s_ * (places + s_)) : 0.0;
    const double oo = u > 1 ? static_cast<double>(m) * bends_[u] / (places * (places - 1)) : 0.0;
    return {0.0, io, oo};
  }

 private:
  std::size_t n_;
  double s_ = 0;
  // By u, with d(q) = 1 / (q + s):
  std::vector<double> gains_;   // sum over q <= u of d(q)
  std::vector<double> losses_;  // sum over q < u of (q + 1) (d(q) - d(q + 1))
  std::vector<double> bends_;   // sum over q <= u - 2 of (q + 1) (d(q) - 2 d(q + 1) + d(q + 2))
};

// g = p h(j) where j = p + q > 0.
class LinearShares {
 public:
  LinearShares(const kernel::CosineKernel&, std::size_t n)
      : n_(n), height_([](double j, double s) { return 1.0 / std::sqrt(j * s); }) {}
  LinearShares(const kernel::DiceKernel&, std::size_t n)
      : n_(n), is_one_of_empty_(true), height_([](double j, double s) { return 2.0 / (j + s); }) {}

  void set_length(std::size_t s) {
    s_ = static_cast<double>(s);
    mean_ = slope_ = rise_ = bend_ = 0.0;
    if (s == 0 || n_ == 0) return;
    const auto n = static_cast<double>(n_);
    for (std::size_t j = 1; j <= n_; ++j) mean_ += h(j) / n;
    for (std::size_t j = 1; j < n_; ++j) slope_ += static_cast<double>(j) / (n - 1) * (h(j + 1) - h(j)) / n;
    if (n_ < 2) return;
    rise_ = (h(n_) - h(1)) / (n - 1);
    for (std::size_t j = 1; j + 2 <= n_; ++j) {
      bend_ += static_cast<double>(j) / (n - 2) * (h(j + 2) - 2 * h(j + 1) + h(j)) / (n - 1);
    }
  }

  [[nodiscard]] Values values(std::size_t m) const {
    if (s_ == 0) return is_one_of_empty_ ? of_empty_row(n_) : Values{0.0, 0.0};
    const auto shared = static_cast<double>(m);
    return {m > 0 ? mean_ + (shared - 1) * slope_ : 0.0, m < n_ ? shared * slope_ : 0.0};
  }
  [[nodiscard]] Pairs pairs(std::size_t m) const {
    if (s_ == 0) return is_one_of_empty_ ? pairs_of_empty_row(n_) : Pairs{0.0, 0.0, 0.0};
    const auto shared = static_cast<double>(m);
    return {m > 1 ? (shared - 2) * bend_ + 2 * rise_ : 0.0, m > 0 && m < n_ ? (shared - 1) * bend_ + rise_ : 0.0,
            m + 1 < n_ ? shared * bend_ : 0.0};
  }

 private:
  [[nodiscard]] double h(std::size_t j) const { return height_(static_cast<double>(j), s_); }

  std::size_t n_;
  bool is_one_of_empty_ = false;
  double (*height_)(double j, double s);
  double s_ = 0;
  double mean_ = 0;   // of h(j + 1) over prefixes of j others
  double slope_ = 0;  // of j / (n - 1) (h(j + 1) - h(j))
  double rise_ = 0;   // of h(j + 2) - h(j + 1) over prefixes of j others, two being left
  double bend_ = 0;   // of j / (n - 2) times the second difference
};

template <class Kernel>
struct SharesOf;
template <>
struct SharesOf<kernel::RbfKernel> {
  using Type = RbfShares;
};
template <>
struct SharesOf<kernel::TanimotoKernel> {
  using Type = TanimotoShares;
};
template <>
struct SharesOf<kernel::CosineKernel> {
  using Type = LinearShares;
};
template <>
struct SharesOf<kernel::DiceKernel> {
  using Type = LinearShares;
};

// --- tables ----------------------------------------------------------------------------------------------------------

void set_values(ShareTable& table, std::size_t at, const Values& values) {
  table.out[at] = values.out;
  table.more[at] = values.in - values.out;
}

void set_pairs(ShareTable& table, std::size_t at, const Pairs& pairs) {
  table.none[at] = pairs.oo;
  table.one[at] = pairs.io - pairs.oo;
  table.both[at] = pairs.ii - 2 * pairs.io + pairs.oo;
}

void make_room(ShareTable& table, std::size_t entries, bool pairs) {
  for (auto* part : {&table.out, &table.more}) part->resize(entries, 0.0);
  if (!pairs) return;
  for (auto* part : {&table.none, &table.one, &table.both}) part->resize(entries, 0.0);
}

}  // namespace

SetShares::SetShares(const kernel::SetValues& values)
    : values_(values),
      is_given_(std::holds_alternative<kernel::GivenKernel>(values.kernel().form())),
      longest_(values.different().empty() ? 0 : static_cast<std::size_t>(values.different().back())) {}

const ShareTable& SetShares::table(std::size_t n, bool pairs, std::span<const Entry> asked, Memo& memo) const {
  const std::size_t stride = std::min(n, longest_) + 1;
  const std::size_t entries = values_.different().size() * stride;
  if (!memo.contains(n) && (memo.size() + 1) * entries > most_remembered) memo.clear();
  ShareTable& table = memo[n];
  const bool is_new = table.stride == 0;
  const bool lacks_pairs = pairs && table.none.empty();
  table.stride = stride;
  make_room(table, entries, pairs);
  if (is_given_) {
    if (is_new || lacks_pairs) table.known.assign(entries, 0);
    fill_asked(n, pairs || !table.none.empty(), asked, table);
  } else if (is_new || lacks_pairs) {
    fill(n, pairs, table);
  }
  return table;
}

void SetShares::fill(std::size_t n, bool pairs, ShareTable& table) const {
  const auto fill_with = [&](auto shares) {
    for (std::size_t place = 0; place < values_.different().size(); ++place) {
      const auto length = static_cast<std::size_t>(values_.different()[place]);
      shares.set_length(length);
      for (std::size_t m = 0; m <= std::min(n, length); ++m) {
        set_values(table, table.at(place, m), shares.values(m));
        if (pairs) set_pairs(table, table.at(place, m), shares.pairs(m));
      }
    }
  };
  std::visit(
      [&]<class Kernel>(const Kernel& kernel) {
        if constexpr (requires { typename SharesOf<Kernel>::Type; }) {
          fill_with(typename SharesOf<Kernel>::Type(kernel, n));
        }
      },
      values_.kernel().form());
}

void SetShares::fill_asked(std::size_t n, bool pairs, std::span<const Entry> asked, ShareTable& table) const {
  DrawnShares drawn(values_, n);
  for (const Entry& entry : asked) {
    char& known = table.known[table.at(entry.place, entry.overlap)];
    if (known == 0) drawn.ask(entry.place, entry.overlap);
    known = 1;
  }
  if (drawn.empty()) return;
  drawn.draw(pairs, [&](std::size_t place, std::size_t m, const DrawnShares::Shares& found) {
    const std::size_t at = table.at(place, m);
    set_values(table, at, {found.in, found.out});
    if (pairs) set_pairs(table, at, {found.ii, found.io, found.oo});
  });
}

}  // namespace gristmill::explain
