// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/crew.hpp"
#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "checks.hpp"

namespace gristmill {
namespace {

struct Recorder final : Observer {
  std::vector<std::size_t> done;
  std::set<std::thread::id> callers;
  bool advance(std::size_t now, std::size_t) override {
    done.push_back(now);
    callers.insert(std::this_thread::get_id());
    return true;
  }
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

}  // namespace

const TestFile threads_tests([] {
  every_index_is_visited_once();
  an_exception_of_any_thread_comes_out();
  an_exception_of_another_thread_stops_the_caller();
  an_observer_can_stop_the_loop();
  an_exception_of_the_observer_comes_out();
  the_observer_hears_from_the_caller_alone_and_in_order();
  the_observer_hears_the_end_when_another_thread_is_last();
  a_crew_works_off_every_piece_call_after_call();
  an_exception_of_a_crew_comes_out_once();
});

}  // namespace gristmill
