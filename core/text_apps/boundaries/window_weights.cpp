// SPDX-License-Identifier: BSD-3-Clause
#include "text_apps/boundaries/window_weights.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gristmill::text_apps::boundaries {
namespace {

using Kind = Meaning::Kind;

// The numbers of the three facts of an entry of the table.
std::array<std::size_t, 3> facts_at(std::size_t entry) {
  return {entry / fact_values / fact_values, fact_values + entry / fact_values % fact_values,
          2 * fact_values + entry % fact_values};
}

// Adds up weights of features and pairs of features; what is of types is given to their letters at the end.
class WeightSum {
 public:
  explicit WeightSum(const WindowFeatures& features)
      : features_(features),
        out_(features),
        type_alone_(out_.types * out_.places),
        types_(out_.types * out_.types * out_.places * out_.places),
        type_with_fact_(out_.types * out_.places * fact_count),
        fact_alone_(fact_count),
        fact_pairs_(fact_count * fact_count) {}

  void add(double weight) { base_ += weight; }

  void add(Meaning one, double weight) {
    if (one.kind == Kind::letter) out_.alone[at(one)] += weight;
    if (one.kind == Kind::type) type_alone_[at(one)] += weight;
    if (one.kind == Kind::fact) fact_alone_[one.value] += weight;
  }

  void add(Meaning one, Meaning other, double weight) {
    if (std::pair(other.kind, other.place) < std::pair(one.kind, one.place)) std::swap(one, other);
    if (one.kind == Kind::none) return;
    if (other.kind == Kind::fact) {
      add_with_fact(one, other.value, weight);
    } else if (one.kind == Kind::type) {
      if (one.place != other.place) types_[types_at(one, other)] += weight;
    } else if (other.kind == Kind::type) {
      add_letter_and_type(one, other, weight);
    } else if (one.place != other.place) {
      add_letters(one, other, weight);
    }
  }

  WindowWeights take() {
    for (std::size_t letter = 0; letter < out_.letters; ++letter) give_to(letter);
    for (std::size_t entry = 0; entry < out_.facts.size(); ++entry) out_.facts[entry] = fact_sum(facts_at(entry));
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::size_t at(Meaning one) const { return one.value * out_.places + one.place; }
  [[nodiscard]] std::size_t types_at(Meaning one, Meaning other) const {
    return at(one) * out_.types * out_.places + at(other);
  }

  void add_with_fact(Meaning one, std::size_t fact, double weight) {
    if (one.kind == Kind::letter) out_.with_fact[at(one) * fact_count + fact] += weight;
    if (one.kind == Kind::type) type_with_fact_[at(one) * fact_count + fact] += weight;
    if (one.kind == Kind::fact) fact_pairs_[one.value * fact_count + fact] += weight;
  }

  void add_letter_and_type(Meaning letter, Meaning type, double weight) {
    if (letter.place != type.place) {
      const std::size_t direction = out_.direction(letter.place, type.place);
      out_.beside[out_.beside_at(letter.value, direction, type.value) + letter.place] += weight;
    } else if (features_.alphabet.type_of(letter.value) == type.value) {
      out_.alone[at(letter)] += weight;
    }
  }

  void add_letters(Meaning one, Meaning other, double weight) {
    LetterPairs& pairs = out_.pairs[std::size_t{other.place} - one.place - 1];
    const std::size_t number = pairs.numbers.make(one.value, other.value) - 1;
    if (number == pairs.pairs.size()) {
      pairs.pairs.push_back({one.value, other.value});
      pairs.weights.resize(pairs.weights.size() + out_.places);
    }
    pairs.weights[number * out_.places + one.place] += weight;
  }

  // Of two types the weight goes to the letter that comes first.
  void give_to(std::size_t letter) {
    const std::size_t type = features_.alphabet.type_of(static_cast<Letter>(letter));
    if (type == 0) return;
    for (std::size_t place = 0; place < out_.places; ++place) {
      const std::size_t own = letter * out_.places + place;
      const std::size_t of_type = type * out_.places + place;
      out_.alone[own] += type_alone_[of_type];
      for (std::size_t fact = 0; fact < fact_count; ++fact) {
        out_.with_fact[own * fact_count + fact] += type_with_fact_[of_type * fact_count + fact];
      }
      for (std::size_t other = 1; other < out_.types; ++other) {
        for (std::size_t to = place + 1; to < out_.places; ++to) {
          out_.beside[out_.beside_at(letter, out_.direction(place, to), other) + place] +=
              types_[of_type * out_.types * out_.places + other * out_.places + to];
        }
      }
    }
  }

  [[nodiscard]] double fact_sum(const std::array<std::size_t, 3>& facts) const {
    double sum = base_;
    for (const std::size_t fact : facts) sum += fact_alone_[fact];
    for (const std::size_t one : facts) {
      for (const std::size_t other : facts) sum += fact_pairs_[one * fact_count + other];
    }
    return sum;
  }

  const WindowFeatures& features_;
  WindowWeights out_;
  double base_ = 0;
  std::vector<double> type_alone_;      // types x places
  std::vector<double> types_;           // types x places x types x places
  std::vector<double> type_with_fact_;  // types x places x facts
  std::vector<double> fact_alone_;
  std::vector<double> fact_pairs_;  // facts x facts; a pair in one order or the other, or some of it in both
};

// Weights of no, one and two features that share a support row.
std::array<double, 3> weights_by_size(const kernel::PolynomialKernel& kernel) {
  const auto [degree, gamma, constant] = kernel;
  if (degree == 1) return {constant, gamma, 0};
  return {constant * constant, gamma * (gamma + 2 * constant), 2 * gamma * gamma};
}

double largest_kernel(const kernel::PolynomialKernel& kernel, std::size_t features) {
  return std::pow(std::abs(kernel.gamma) * static_cast<double>(features) + std::abs(kernel.coef0), kernel.degree);
}

}  // namespace

WindowWeights::WindowWeights(const WindowFeatures& features)
    : letters(features.alphabet.size()),
      types(features.alphabet.types()),
      places(features.places),
      alone(letters * places),
      beside(letters * directions(places) * types * places),
      pairs(places - 1),
      with_fact(letters * places * fact_count),
      facts(fact_values * fact_values * fact_values) {}

std::size_t bytes_of_weights(const WindowFeatures& features) {
  const std::size_t beside = WindowWeights::directions(features.places) * features.alphabet.types();
  return features.alphabet.size() * features.places * (1 + beside + fact_count) * sizeof(double);
}

bool has_window_weights(const machine::SetMachine& machine) {
  if (machine.outputs() != 1 || !machine.values.empty() || !machine.kernel.is_polynomial()) return false;
  const unsigned degree = machine.kernel.polynomial().degree;
  return degree == 1 || degree == 2;
}

WindowWeights weights_of_window(const machine::SetMachine& machine, const WindowFeatures& features,
                                Observer& observer) {
  const kernel::PolynomialKernel& kernel = machine.kernel.polynomial();
  const auto [none, one, two] = weights_by_size(kernel);
  const rows::Rows support = machine.support();
  WeightSum sum(features);
  sum.add(machine.intercept[0]);
  double total = 0;
  std::size_t longest = 2 * features.places + 3;
  for (std::size_t row = 0; row < support.size(); ++row) {
    double coef = 0;
    machine.coef.for_each_in_row(row, [&](std::size_t, double value) { coef += value; });
    const rows::Row ids = support[row];
    sum.add(coef * none);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const Meaning meaning = features.meanings[static_cast<std::size_t>(ids[i])];
      sum.add(meaning, coef * one);
      for (std::size_t j = 0; kernel.degree == 2 && j < i; ++j) {
        sum.add(features.meanings[static_cast<std::size_t>(ids[j])], meaning, coef * two);
      }
    }
    total += std::abs(coef);
    longest = std::max(longest, ids.size());
    require(observer, row + 1, support.size());
  }
  WindowWeights weights = sum.take();
  weights.magnitude = std::abs(machine.intercept[0]) + total * largest_kernel(kernel, longest);
  return weights;
}

}  // namespace gristmill::text_apps::boundaries
