// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "random_rows.hpp"
#include "score/batch.hpp"
#include "score/direct.hpp"
#include "score/inverted.hpp"
#include "score/real.hpp"

namespace gristmill {
namespace {

std::shared_ptr<const machine::SetMachine> random_machine(std::size_t rows, std::size_t outputs) {
  OwnedRows support = skewed_rows(rows, 30, 1);
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  std::vector<double> coef(rows * outputs);
  for (double& a : coef) a = normal(random);
  return std::make_shared<const machine::SetMachine>(
      machine::SetMachine{kernel::PolynomialKernel{3, 0.5, 1.0},
                          std::move(support.offsets),
                          std::move(support.ids),
                          {},
                          machine::Coefficients::dense(rows, outputs, std::move(coef)),
                          std::vector<double>(outputs, 0.25)});
}

template <class Scorer>
std::vector<double> scores_of(const Scorer& scorer, rows::Rows x, std::size_t threads) {
  std::vector<double> out(x.size() * scorer.outputs());
  Silent observer;
  if constexpr (std::is_same_v<Scorer, score::RealScorer>) {
    const std::vector<double> ones(x.ids.size(), 1.0);
    score::score_real_rows(scorer, {x, ones}, out, threads, observer);
  } else {
    score::score_rows(scorer, x, out, threads, observer);
  }
  return out;
}

template <class Scorer>
void threads_share_one_scorer(std::size_t rows, std::size_t outputs) {
  const Scorer scorer(random_machine(rows, outputs));
  const OwnedRows x = skewed_rows(200, 20, 3);
  const std::vector<double> wanted = scores_of(scorer, x.view(), 1);
  CHECK(scores_of(scorer, x.view(), 5) == wanted);
  std::vector<std::vector<double>> answers(4);
  {
    std::vector<std::jthread> callers;
    for (auto& answer : answers) callers.emplace_back([&] { answer = scores_of(scorer, x.view(), 2); });
  }
  CHECK(std::ranges::all_of(answers, [&](const auto& answer) { return answer == wanted; }));
}

void scorers_are_shared_by_threads() {
  for (const std::size_t rows : {0, 5, 1500}) {
    for (const std::size_t outputs : {1, 13}) {
      threads_share_one_scorer<score::DirectScorer>(rows, outputs);
      threads_share_one_scorer<score::InvertedScorer>(rows, outputs);
      threads_share_one_scorer<score::RealScorer>(rows, outputs);
    }
  }
}

// A single class has no pairs, so no outputs.
void machines_without_outputs_score_nothing() {
  const auto machine = random_machine(100, 0);
  OwnedRows rare;
  for (const FeatureId id : machine->ids) rare.append({id});
  CHECK(scores_of(score::DirectScorer(machine), rare.view(), 1).empty());
  CHECK(scores_of(score::InvertedScorer(machine), rare.view(), 1).empty());
  CHECK(scores_of(score::RealScorer(machine), rare.view(), 1).empty());
}

}  // namespace

const TestFile scorers_tests([] {
  scorers_are_shared_by_threads();
  machines_without_outputs_score_nothing();
});

}  // namespace gristmill
