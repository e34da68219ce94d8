// SPDX-License-Identifier: BSD-3-Clause
// What Python tests cannot see: threads inside the core, and memory at the edges of buffers. Made to be run under the
// address, undefined-behaviour and thread sanitizers. Answers are compared with oracles in tests/*.py, not here.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/crew.hpp"
#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "checks.hpp"
#include "kernel/polynomial_rows.hpp"
#include "rows/conjunctions.hpp"
#include "score/batch.hpp"
#include "score/direct.hpp"
#include "score/inverted.hpp"
#include "score/real.hpp"
#include "text/libsvm_model.hpp"
#include "text/svmlight.hpp"

namespace {

using namespace gristmill;

struct Recorder final : Observer {
  std::vector<std::size_t> done;
  std::set<std::thread::id> callers;
  bool advance(std::size_t now, std::size_t) override {
    done.push_back(now);
    callers.insert(std::this_thread::get_id());
    return true;
  }
};

struct StopAfter final : Observer {
  std::size_t calls_left;
  explicit StopAfter(std::size_t calls) : calls_left(calls) {}
  bool advance(std::size_t, std::size_t) override { return calls_left-- > 0; }
};

void pause() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

// --- parallel_for ----------------------------------------------------------------------------------------------------

void every_index_is_visited_once() {
  for (const std::size_t n : {0, 1, 2, 15, 16, 17, 100, 1000}) {
    for (const std::size_t grain : {1, 3, 16, 2000}) {
      for (const std::size_t threads : {0, 1, 2, 7, 64}) {
        std::vector<std::atomic<int>> visits(n);
        std::atomic<bool> workers_fit{true};
        Silent observer;
        parallel_for(n, grain, threads, observer, [&](std::size_t begin, std::size_t end, std::size_t worker) {
          if (worker >= threads_for(n, grain, threads) || end - begin > grain) workers_fit = false;
          for (std::size_t i = begin; i < end; ++i) ++visits[i];
        });
        CHECK(workers_fit);
        CHECK(std::ranges::all_of(visits, [](const auto& count) { return count == 1; }));
      }
    }
  }
}

void an_exception_of_any_thread_comes_out() {
  for (const std::size_t threads : {1, 2, 8}) {
    Silent observer;
    CHECK(throws<std::domain_error>([&] {
      parallel_for(1000, 1, threads, observer, [](std::size_t begin, std::size_t, std::size_t) {
        if (begin == 500) throw std::domain_error("here");
      });
    }));
  }
}

void an_exception_of_another_thread_stops_the_caller() {
  std::atomic<bool> thrown{false};
  std::atomic<std::size_t> visited{0};
  Silent observer;
  CHECK(throws<std::domain_error>([&] {
    parallel_for(1000, 1, 2, observer, [&](std::size_t, std::size_t, std::size_t worker) {
      if (worker == 1) {
        thrown = true;
        throw std::domain_error("in the worker");
      }
      while (!thrown) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      ++visited;
    });
  }));
  CHECK(visited < 999);
}

void an_observer_can_stop_the_loop() {
  for (const std::size_t threads : {1, 4}) {
    StopAfter observer(3);
    std::atomic<std::size_t> visited{0};
    CHECK(throws<Interrupted>([&] {
      parallel_for(100000, 1, threads, observer, [&](std::size_t, std::size_t, std::size_t worker) {
        if (worker > 0) pause();  // or the others might be done before the caller has begun
        ++visited;
      });
    }));
    CHECK(threads > 1 || visited == 4);
  }
}

void an_exception_of_the_observer_comes_out() {
  struct Throwing final : Observer {
    bool advance(std::size_t, std::size_t) override { throw std::domain_error("enough"); }
  } observer;
  CHECK(throws<std::domain_error>(
      [&] { parallel_for(9, 1, 2, observer, [](std::size_t, std::size_t, std::size_t) { pause(); }); }));
}

void the_observer_hears_from_the_caller_alone_and_in_order() {
  Recorder observer;
  parallel_for(500, 1, 4, observer, [](std::size_t, std::size_t, std::size_t) { std::this_thread::yield(); });
  CHECK(observer.callers.empty() || observer.callers == std::set{std::this_thread::get_id()});
  CHECK(std::ranges::is_sorted(observer.done));
}

void the_observer_hears_the_end_when_another_thread_is_last() {
  Recorder observer;
  parallel_for(2, 1, 2, observer, [](std::size_t, std::size_t, std::size_t worker) {
    pause();
    if (worker == 1) pause();
  });
  CHECK(!observer.done.empty() && observer.done.back() == 2);
}

void a_crew_works_off_every_piece_call_after_call() {
  for (const std::size_t threads : {1, 2, 5}) {
    Crew crew(threads);
    CHECK(crew.size() == threads);
    std::vector<std::size_t> calls(40, 0);  // no locks: a call begins when the one before is over
    for (std::size_t call = 0; call < 1000; ++call) {
      crew.run(call % 40, [&](std::size_t piece, std::size_t worker) {
        CHECK(worker < threads);
        ++calls[piece];
      });
    }
    for (std::size_t piece = 0; piece < 40; ++piece) CHECK(calls[piece] == 25 * (39 - piece));
  }
}

void an_exception_of_a_crew_comes_out_once() {
  for (const std::size_t threads : {1, 3}) {
    Crew crew(threads);
    for (const std::size_t thrower : {0, 7, 99}) {
      CHECK(throws<std::domain_error>([&] {
        crew.run(100, [&](std::size_t piece, std::size_t) {
          if (piece == thrower) throw std::domain_error("enough");
        });
      }));
      std::atomic<std::size_t> pieces{0};
      crew.run(100, [&](std::size_t, std::size_t) { ++pieces; });
      CHECK(pieces == 100);
    }
  }
}

// --- scorers ---------------------------------------------------------------------------------------------------------

// Skewed: low ids are in most rows (byte columns), high ids in few (postings).
OwnedRows random_rows(std::size_t rows, std::size_t length, unsigned seed) {
  std::mt19937 random(seed);
  std::geometric_distribution<FeatureId> skewed(0.02);
  OwnedRows made;
  for (std::size_t row = 0; row < rows; ++row) {
    std::set<FeatureId> ids;
    for (std::size_t i = 0; i < row % (length + 1); ++i) ids.insert(skewed(random));
    made.append(ids);
  }
  return made;
}

std::shared_ptr<const machine::PolynomialMachine> random_machine(std::size_t rows, std::size_t outputs) {
  OwnedRows support = random_rows(rows, 30, 1);
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  std::vector<double> coef(rows * outputs);
  for (double& a : coef) a = normal(random);
  return std::make_shared<const machine::PolynomialMachine>(
      machine::PolynomialMachine{{3, 0.5, 1.0},
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
  const OwnedRows x = random_rows(200, 20, 3);
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

void kernel_rows_are_shared_by_threads() {
  const OwnedRows data = random_rows(1500, 30, 4);
  const OwnedRows x = random_rows(50, 30, 5);
  const kernel::PolynomialRows provider({2, 1.0, 1.0}, data.view());
  std::vector<double> one(50 * 1500), many(50 * 1500);
  Silent observer;
  provider.fill(x.view(), one, 1, observer);
  provider.fill(x.view(), many, 4, observer);
  CHECK(one == many);
}

void counting_conjunctions_can_be_stopped() {
  const OwnedRows data = random_rows(100, 10, 6);
  StopAfter observer(2);
  CHECK(throws<Interrupted>([&] { (void)rows::count_conjunctions(data.view(), 2, observer); }));
  CHECK(throws<std::invalid_argument>([&] { (void)rows::count_conjunctions(data.view(), 4, observer); }));
}

// --- parsers ---------------------------------------------------------------------------------------------------------

// From a buffer that ends where the text ends, so that the address sanitizer sees a read beyond it.
template <class Parse>
void parse_exactly(std::string_view text, Parse parse) {
  const std::vector<char> buffer(text.begin(), text.end());
  (void)parse(std::string_view(buffer.data(), buffer.size()));
}

const auto svmlight = [](std::string_view text) {
  Silent observer;
  return text::parse_svmlight(text, text::IdBase::automatic, text::LabelKind::numbers, observer);
};
const auto libsvm = [](std::string_view text) {
  Silent observer;
  return text::parse_libsvm_model(text, observer);
};

// True when the text is refused at this place.
template <class Parse>
bool refused_at(std::string_view text, Parse parse, std::size_t line, std::size_t column) {
  try {
    parse_exactly(text, parse);
  } catch (const ParseError& error) {
    return error.line() == line && error.column() == column && std::string_view(error.what()).size() > 10;
  }
  return false;
}

// Every beginning of a text is read or refused, never more.
template <class Parse>
bool beginnings_are_read_or_refused(std::string_view text, Parse parse) {
  for (std::size_t size = 0; size <= text.size(); ++size) {
    try {
      parse_exactly(text.substr(0, size), parse);
    } catch (const ParseError&) {
    }
  }
  return true;
}

void malformed_svmlight_is_refused_with_its_place() {
  CHECK(refused_at("x", svmlight, 1, 1));
  CHECK(refused_at("1 2", svmlight, 1, 4));
  CHECK(refused_at("1 2:", svmlight, 1, 5));
  CHECK(refused_at("1 2:1\n1 3:x", svmlight, 2, 5));
  CHECK(refused_at("1 2:1 2:1", svmlight, 1, 7));
  CHECK(refused_at("1 -2:1", svmlight, 1, 3));
  CHECK(refused_at("1 2147483648:1", svmlight, 1, 3));
  CHECK(refused_at("1 2147483647:1\n1 0:1", svmlight, 1, 3));
  CHECK(refused_at("1 99999999999999999999:1", svmlight, 1, 3));
  CHECK(refused_at("nan 1:1", svmlight, 1, 1));
  CHECK(refused_at("1 1:1e999", svmlight, 1, 5));
  CHECK(refused_at("1 qid:x 1:1", svmlight, 1, 7));
  CHECK(refused_at("+-1 1:1", svmlight, 1, 1));
  CHECK(refused_at("+", svmlight, 1, 1));
  CHECK(refused_at(std::string_view("1 1:1\0", 6), svmlight, 1, 6));
}

void sound_svmlight_is_read() {
  const text::SvmlightData data = svmlight("# a comment\r\n+1 qid:3 7:1 2:0.5 # more\r\n\n-1e-400 qid:4\n0 qid:4 9:1");
  CHECK(data.labels.size() == 3 && data.queries == (std::vector<std::int64_t>{3, 4, 4}));
  CHECK(data.rows.ids == (std::vector<FeatureId>{1, 6, 8}) && data.rows.values == (std::vector<double>{0.5, 1, 1}));
  CHECK(beginnings_are_read_or_refused("+1 qid:3 7:1 2:0.5e-3 # more\r\n-1 qid:4 1:1\n", svmlight));
}

constexpr std::string_view model =
    "svm_type c_svc\nkernel_type polynomial\ndegree 2\ngamma 0.5\ncoef0 1\nnr_class 2\ntotal_sv 2\nrho -0.25\n"
    "label 1 -1\nnr_sv 1 1\nSV\n0.5 1:1 3:1\n-0.5 2:1\n";

std::string changed(std::string_view from, std::string_view to) {
  std::string text(model);
  return text.replace(text.find(from), from.size(), to);
}

void malformed_models_are_refused_with_their_place() {
  CHECK(refused_at("", libsvm, 1, 1));
  CHECK(refused_at("SV\n", libsvm, 1, 3));
  CHECK(refused_at(changed("degree 2", "degree"), libsvm, 3, 7));
  CHECK(refused_at(changed("degree 2", "degree 2 2"), libsvm, 3, 10));
  CHECK(refused_at(changed("coef0 1", "gamma 1"), libsvm, 5, 1));
  CHECK(refused_at(changed("coef0 1", "warp 1"), libsvm, 5, 1));
  CHECK(refused_at(changed("nr_class 2", "nr_class 1e300"), libsvm, 11, 3));
  CHECK(refused_at(changed("nr_class 2", "nr_class 1.5"), libsvm, 11, 3));
  CHECK(refused_at(changed("total_sv 2", "total_sv -1"), libsvm, 11, 3));
  CHECK(refused_at(changed("total_sv 2", "total_sv 999999999999"), libsvm, 11, 3));
  CHECK(refused_at(changed("-0.5 2:1\n", ""), libsvm, 13, 1));
  CHECK(refused_at(changed("-0.5 2:1\n", "-0.5 2:1\n1 3:1\n"), libsvm, 14, 1));
  CHECK(refused_at(changed("rho -0.25", "rho"), libsvm, 11, 3));
  CHECK(refused_at(changed("label 1 -1", "label 1"), libsvm, 11, 3));
  CHECK(refused_at(changed("-0.5 2:1", "-0.5x 2:1"), libsvm, 13, 5));
}

void sound_models_are_read() {
  const text::LibsvmModel read = libsvm(model);
  CHECK(read.support.coefs == (std::vector<double>{0.5, -0.5}));
  CHECK(read.support.rows.ids == (std::vector<FeatureId>{0, 2, 1}));
  CHECK(beginnings_are_read_or_refused(model, libsvm));
}

}  // namespace

int main() {
  every_index_is_visited_once();
  an_exception_of_any_thread_comes_out();
  an_exception_of_another_thread_stops_the_caller();
  an_observer_can_stop_the_loop();
  an_exception_of_the_observer_comes_out();
  the_observer_hears_from_the_caller_alone_and_in_order();
  the_observer_hears_the_end_when_another_thread_is_last();
  a_crew_works_off_every_piece_call_after_call();
  an_exception_of_a_crew_comes_out_once();
  scorers_are_shared_by_threads();
  kernel_rows_are_shared_by_threads();
  counting_conjunctions_can_be_stopped();
  malformed_svmlight_is_refused_with_its_place();
  sound_svmlight_is_read();
  malformed_models_are_refused_with_their_place();
  sound_models_are_read();
  machines_without_outputs_score_nothing();
  base_tests();
  rows_tests();
  segment_tests();
  batch_tests();
  bundle_tests();
  expanded_parts_tests();
  expanded_tests();
  explain_tests();
  forest_tests();
  heaviest_tests();
  mining_tests();
  online_tests();
  operator_tests();
  parse_tests();
  plane_qp_tests();
  program_tests();
  smo_tests();
  subsequence_tests();
  tag_tests();
  return failures == 0 ? 0 : 1;
}
