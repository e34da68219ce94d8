// SPDX-License-Identifier: BSD-3-Clause
#include "solve/batch/smo_passes.hpp"

#include <cstdint>
#include <limits>

#include "base/lanes.hpp"
#include "base/variants.hpp"

namespace gristmill::solve::batch::smo {
namespace {

constexpr double none = -std::numeric_limits<double>::infinity();
using Lanes4l [[gnu::vector_size(32)]] = std::int64_t;
constexpr std::size_t half = lanes / 2;

GRISTMILL_INLINE const lanes::Loose4d& at4(const double* from) {
  return *reinterpret_cast<const lanes::Loose4d*>(from);
}

// The largest value of each lane and where it stood first.
struct Largest {
  Lanes4d value = {none, none, none, none};
  Lanes4l where = {-1, -1, -1, -1};

  GRISTMILL_INLINE void take(const Lanes4d& offered, const Lanes4l& place) {
    const auto larger = offered > value;
    value = larger ? offered : value;
    where = larger ? place : where;
  }
};

struct Place {
  double value = none;
  std::int64_t at = -1;
};

// Over all lanes; of equals the first.
GRISTMILL_INLINE void merge(Place& best, const Largest& lane_best) {
  for (std::size_t lane = 0; lane < half; ++lane) {
    const double value = lane_best.value[lane];
    const std::int64_t where = lane_best.where[lane];
    if (value > best.value || (value == best.value && where >= 0 && where < best.at)) best = {value, where};
  }
}

GRISTMILL_INLINE double largest(const Lanes4d& a, const Lanes4d& b) {
  double best = none;
  for (std::size_t lane = 0; lane < half; ++lane) {
    best = a[lane] > best ? a[lane] : best;
    best = b[lane] > best ? b[lane] : best;
  }
  return best;
}

struct EndsFinder {
  const double* up;
  const double* low;
  Largest ups[2];
  Lanes4d lows[2] = {{none, none, none, none}, {none, none, none, none}};

  GRISTMILL_INLINE void take(std::size_t part, std::size_t at, const Lanes4d& F, const Lanes4l& place) {
    const Lanes4d rising = at4(up + at) - F;
    ups[part].take(rising, place);
    const Lanes4d falling = at4(low + at) + F;
    lows[part] = falling > lows[part] ? falling : lows[part];
  }
  GRISTMILL_INLINE Ends ends() const {
    Place best;
    merge(best, ups[0]);
    merge(best, ups[1]);
    return {best.value, static_cast<std::size_t>(best.at), largest(lows[0], lows[1])};
  }
};

struct SteepestFinder {
  const double* up;
  const double* low;
  const double* inverse;
  Largest gains[2];
  Lanes4d violations[2] = {{0, 0, 0, 0}, {0, 0, 0, 0}};

  GRISTMILL_INLINE void take(std::size_t part, std::size_t at, const Lanes4d& F, const Lanes4l& place) {
    const Lanes4d rising = at4(up + at) - F;
    const Lanes4d falling = at4(low + at) + F;
    const Lanes4d nothing = {0, 0, 0, 0};
    Lanes4d violation = rising > falling ? rising : falling;
    violation = violation > nothing ? violation : nothing;
    violations[part] = violation > violations[part] ? violation : violations[part];
    gains[part].take(violation * violation * at4(inverse + at), place);
  }
  GRISTMILL_INLINE Steepest steepest() const {
    Place best;
    merge(best, gains[0]);
    merge(best, gains[1]);
    return {largest(violations[0], violations[1]), static_cast<std::size_t>(best.at)};
  }
};

// finder.take of all F, after F = next(F, at).
template <class Finder, class Next>
GRISTMILL_INLINE void sweep(std::size_t size, Finder& finder, Next next) {
  Lanes4l place = {0, 1, 2, 3};
  const Lanes4l onward = {half, half, half, half};
  for (std::size_t at = 0; at < size; at += lanes) {
    for (std::size_t part = 0; part < 2; ++part) {
      Lanes4d F;
      next(at + part * half, F);
      finder.take(part, at + part * half, F, place);
      place += onward;
    }
  }
}

struct Read {
  const double* F;
  GRISTMILL_INLINE void operator()(std::size_t at, Lanes4d& now) const { now = at4(F + at); }
};

struct MovePair {
  double* F;
  const double* first;
  const double* second;
  double first_step;
  double second_step;
  GRISTMILL_INLINE void operator()(std::size_t at, Lanes4d& now) const {
    now = at4(F + at) + (first_step * at4(first + at) + second_step * at4(second + at));
    store(now, F + at);
  }
};

struct MoveSingle {
  double* F;
  const double* row;
  double step;
  double constant;
  GRISTMILL_INLINE void operator()(std::size_t at, Lanes4d& now) const {
    now = at4(F + at) + step * (at4(row + at) + constant);
    store(now, F + at);
  }
};

}  // namespace

GRISTMILL_VARIANTS Ends find_ends(const double* F, const double* up, const double* low, std::size_t size) {
  EndsFinder finder{.up = up, .low = low, .ups = {}};
  sweep(size, finder, Read{F});
  return finder.ends();
}

GRISTMILL_VARIANTS Ends move_pair(double* F, const double* up, const double* low, const double* first,
                                  double first_step, const double* second, double second_step, std::size_t size) {
  EndsFinder finder{.up = up, .low = low, .ups = {}};
  sweep(size, finder, MovePair{F, first, second, first_step, second_step});
  return finder.ends();
}

GRISTMILL_VARIANTS std::size_t find_partner(const double* F, const double* low, const double* diagonal,
                                            const double* row, double top, double own, std::size_t size) {
  Largest gains[2];
  Lanes4l place = {0, 1, 2, 3};
  const Lanes4l onward = {half, half, half, half};
  const Lanes4d nothing = {0, 0, 0, 0};
  const Lanes4d least = {tau, tau, tau, tau};
  const Lanes4d refused = {none, none, none, none};
  for (std::size_t at = 0; at < size; at += lanes) {
    for (std::size_t part = 0; part < 2; ++part) {
      const std::size_t here = at + part * half;
      const Lanes4d slope = (top + at4(F + here)) + at4(low + here);
      Lanes4d curvature = (own + at4(diagonal + here)) - 2 * at4(row + here);
      curvature = curvature > nothing ? curvature : least;
      const Lanes4d gain = slope > nothing ? slope * slope / curvature : refused;
      gains[part].take(gain, place);
      place += onward;
    }
  }
  Place best;
  merge(best, gains[0]);
  merge(best, gains[1]);
  return best.at < 0 ? size : static_cast<std::size_t>(best.at);
}

GRISTMILL_VARIANTS Steepest find_steepest(const double* F, const double* up, const double* low, const double* inverse,
                                          std::size_t size) {
  SteepestFinder finder{.up = up, .low = low, .inverse = inverse, .gains = {}};
  sweep(size, finder, Read{F});
  return finder.steepest();
}

GRISTMILL_VARIANTS Steepest move_single(double* F, const double* up, const double* low, const double* inverse,
                                        const double* row, double step, double constant, std::size_t size) {
  SteepestFinder finder{.up = up, .low = low, .inverse = inverse, .gains = {}};
  sweep(size, finder, MoveSingle{F, row, step, constant});
  return finder.steepest();
}

GRISTMILL_VARIANTS void add_row(double* sum, const double* row, double step, double constant, std::size_t size) {
  for (std::size_t at = 0; at < size; ++at) sum[at] += step * (row[at] + constant);
}

}  // namespace gristmill::solve::batch::smo
