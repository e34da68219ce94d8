// SPDX-License-Identifier: BSD-3-Clause
#include "solve/tables/factor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/variants.hpp"

namespace gristmill::solve::tables {
namespace {

void check(const Similarity& similarity) {
  const auto is_weight = [](double value) { return value >= 0 && value <= std::numeric_limits<double>::max(); };
  if (similarity.bins == 0 || similarity.ordered > similarity.bins) {
    throw std::invalid_argument("a column has at least one bin, and no more ordered bins than bins");
  }
  if (!is_weight(similarity.onehot) || !is_weight(similarity.thermometer) ||
      !(similarity.onehot + similarity.thermometer > 0)) {
    throw std::invalid_argument("weights of one-hot and thermometer parts are numbers from 0 on, one of them above 0");
  }
}

double thermometer_of(const Similarity& similarity, std::size_t apart) {
  if (similarity.ordered < 2) return similarity.thermometer;
  return similarity.thermometer * (1 - static_cast<double>(apart) / (similarity.ordered - 1));
}

// The feature of one step; with one ordered bin there is nothing to divide by.
double step_height(const Similarity& similarity) {
  return std::sqrt(similarity.thermometer / std::max<double>(1, similarity.ordered - 1.0));
}

// out[r] += sum over c of matrix[r][c] in[c], each of `inner` numbers.
GRISTMILL_VARIANTS void multiply_blocks(const double* matrix, std::size_t rows, std::size_t columns, const double* in,
                                        double* out, std::size_t inner) {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      const double value = matrix[r * columns + c];
      if (value == 0) continue;
      for (std::size_t i = 0; i < inner; ++i) out[r * inner + i] += value * in[c * inner + i];
    }
  }
}

// out[r] += sum over c of transposed[c][r] in[c], single numbers.
GRISTMILL_VARIANTS void multiply_vector(const double* transposed, std::size_t rows, std::size_t columns,
                                        const double* in, double* out) {
  for (std::size_t c = 0; c < columns; ++c) {
    const double value = in[c];
    if (value == 0) continue;
    for (std::size_t r = 0; r < rows; ++r) out[r] += value * transposed[c * rows + r];
  }
}

// What a block of ordered bins needs for prefix sums.
struct Sides {
  std::size_t bins;
  double level;
  double side;
};

// in: the constant feature, then steps. A bin is above one step more than the bin before it.
GRISTMILL_VARIANTS void add_up(const Sides& sides, const double* in, double* out, std::size_t inner) {
  std::fill_n(out, inner, 0.0);
  for (std::size_t step = 1; step < sides.bins; ++step) {
    for (std::size_t i = 0; i < inner; ++i) out[i] += in[step * inner + i];
  }
  for (std::size_t i = 0; i < inner; ++i) out[i] = sides.level * in[i] - sides.side * out[i];
  for (std::size_t bin = 1; bin < sides.bins; ++bin) {
    const double* before = out + (bin - 1) * inner;
    for (std::size_t i = 0; i < inner; ++i) out[bin * inner + i] = before[i] + 2 * sides.side * in[bin * inner + i];
  }
}

// The transposed: of each step what is above it less what is below it.
GRISTMILL_VARIANTS void take_apart(const Sides& sides, const double* in, double* out, std::size_t inner) {
  std::copy_n(in + (sides.bins - 1) * inner, inner, out + (sides.bins - 1) * inner);
  for (std::size_t bin = sides.bins - 1; bin-- > 0;) {
    const double* above = out + (bin + 1) * inner;
    for (std::size_t i = 0; i < inner; ++i) out[bin * inner + i] = above[i] + in[bin * inner + i];
  }
  for (std::size_t step = 1; step < sides.bins; ++step) {
    for (std::size_t i = 0; i < inner; ++i) out[step * inner + i] = sides.side * (2 * out[step * inner + i] - out[i]);
  }
  for (std::size_t i = 0; i < inner; ++i) out[i] *= sides.level;
}

struct Shape {
  std::size_t rows;
  std::size_t columns;
};

void multiply(const double* matrix, const double* transposed, Shape shape, const double* in, double* out,
              std::size_t outer, std::size_t inner) {
  std::fill_n(out, outer * shape.rows * inner, 0.0);
  for (std::size_t o = 0; o < outer; ++o) {
    const double* from = in + o * shape.columns * inner;
    double* to = out + o * shape.rows * inner;
    if (inner == 1) {
      multiply_vector(transposed, shape.rows, shape.columns, from, to);
    } else {
      multiply_blocks(matrix, shape.rows, shape.columns, from, to, inner);
    }
  }
}

}  // namespace

Factor::Factor(const Similarity& similarity) : bins_(similarity.bins) {
  check(similarity);
  if (similarity.monotone != 0 || similarity.nonnegative) {
    set_features(similarity);
  } else if (similarity.ordered == 0 || similarity.thermometer == 0) {
    set_diagonal(similarity);
  } else if (similarity.onehot == 0 && similarity.ordered > 1) {
    set_sides(similarity);
  } else {
    set_cholesky(similarity);
  }
}

void Factor::set_diagonal(const Similarity& similarity) {
  features_ = bins_;
  diagonal_.assign(bins_, 1.0);
  std::fill_n(diagonal_.begin(), similarity.ordered, std::sqrt(similarity.onehot));
  steps_.assign(features_, 0);
}

void Factor::set_sides(const Similarity& similarity) {
  features_ = bins_;
  sided_ = similarity.ordered;
  level_ = std::sqrt(similarity.thermometer / 2);
  side_ = level_ / std::sqrt(static_cast<double>(sided_ - 1));
  steps_.assign(features_, 0);
}

// The triangle of the ordered bins, and ones for the others.
void Factor::set_cholesky(const Similarity& similarity) {
  features_ = bins_;
  by_bin_.assign(bins_ * bins_, 0.0);
  for (std::size_t i = 0; i < bins_; ++i) by_bin_[i * bins_ + i] = 1;
  for (std::size_t i = 0; i < similarity.ordered; ++i) {
    double* row = &by_bin_[i * bins_];
    for (std::size_t j = 0; j <= i; ++j) {
      const double* other = &by_bin_[j * bins_];
      double left = thermometer_of(similarity, i - j) + (i == j ? similarity.onehot : 0);
      for (std::size_t k = 0; k < j; ++k) left -= row[k] * other[k];
      row[j] = i == j ? std::sqrt(left) : left / other[j];
    }
  }
  steps_.assign(features_, 0);
  transpose();
}

void Factor::set_features(const Similarity& similarity) {
  if (similarity.monotone != 0) {
    append_steps(similarity);
  } else {
    if (similarity.onehot > 0) append_onehot(0, similarity.ordered, std::sqrt(similarity.onehot));
    if (similarity.thermometer > 0) append_thermometer(similarity);
  }
  append_onehot(similarity.ordered, bins_, 1);
  features_ = steps_.size();
  by_bin_.resize(by_feature_.size());
  for (std::size_t f = 0; f < features_; ++f) {
    for (std::size_t i = 0; i < bins_; ++i) by_bin_[i * features_ + f] = by_feature_[f * bins_ + i];
  }
}

void Factor::append_column(const std::vector<double>& values, bool step) {
  by_feature_.insert(by_feature_.end(), values.begin(), values.end());
  steps_.push_back(step ? 1 : 0);
}

void Factor::append_onehot(std::size_t first, std::size_t last, double value) {
  for (std::size_t bin = first; bin < last; ++bin) {
    std::vector<double> column(bins_, 0.0);
    column[bin] = value;
    append_column(column, false);
  }
}

void Factor::append_thermometer(const Similarity& similarity) {
  const auto ordered = static_cast<std::ptrdiff_t>(similarity.ordered);
  const double height = step_height(similarity);
  std::vector<double> column(bins_, 0.0);
  std::fill_n(column.begin(), ordered, height);
  if (ordered == 1) append_column(column, false);
  for (std::ptrdiff_t first = 1; first < ordered; ++first) {
    std::vector<double> above(column);
    std::vector<double> below(column);
    std::fill_n(above.begin(), first, 0.0);
    std::fill(below.begin() + first, below.begin() + ordered, 0.0);
    append_column(above, false);
    append_column(below, false);
  }
}

void Factor::append_steps(const Similarity& similarity) {
  Similarity alone = similarity;
  if (!(alone.thermometer > 0)) alone.thermometer = 1;
  const double height = step_height(alone);
  for (std::size_t first = 1; first < similarity.ordered; ++first) {
    std::vector<double> column(bins_, 0.0);
    const std::size_t begin = similarity.monotone > 0 ? first : 0;
    const std::size_t end = similarity.monotone > 0 ? similarity.ordered : first;
    std::fill(column.begin() + static_cast<std::ptrdiff_t>(begin), column.begin() + static_cast<std::ptrdiff_t>(end),
              height);
    append_column(column, true);
  }
}

void Factor::transpose() {
  by_feature_.resize(by_bin_.size());
  for (std::size_t i = 0; i < bins_; ++i) {
    for (std::size_t f = 0; f < features_; ++f) by_feature_[f * bins_ + i] = by_bin_[i * features_ + f];
  }
}

void Factor::scale(const double* in, double* out, std::size_t outer, std::size_t inner) const {
  for (std::size_t o = 0; o < outer; ++o) {
    for (std::size_t bin = 0; bin < bins_; ++bin) {
      const std::size_t at = (o * bins_ + bin) * inner;
      for (std::size_t i = at; i < at + inner; ++i) out[i] = diagonal_[bin] * in[i];
    }
  }
}

template <class Apply>
void Factor::by_sides(const double* in, double* out, std::size_t outer, std::size_t inner, const Apply& apply) const {
  const std::size_t whole = bins_ * inner;
  const std::size_t ordered = sided_ * inner;
  for (std::size_t o = 0; o < outer; ++o) {
    apply(Sides{sided_, level_, side_}, in + o * whole, out + o * whole, inner);
    std::copy_n(in + o * whole + ordered, whole - ordered, out + o * whole + ordered);
  }
}

void Factor::to_bins(const double* in, double* out, std::size_t outer, std::size_t inner) const {
  if (!diagonal_.empty()) return scale(in, out, outer, inner);
  if (sided_ != 0) return by_sides(in, out, outer, inner, add_up);
  multiply(by_bin_.data(), by_feature_.data(), {bins_, features_}, in, out, outer, inner);
}

void Factor::to_features(const double* in, double* out, std::size_t outer, std::size_t inner) const {
  if (!diagonal_.empty()) return scale(in, out, outer, inner);
  if (sided_ != 0) return by_sides(in, out, outer, inner, take_apart);
  multiply(by_feature_.data(), by_bin_.data(), {features_, bins_}, in, out, outer, inner);
}

}  // namespace gristmill::solve::tables
