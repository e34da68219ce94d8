// SPDX-License-Identifier: BSD-3-Clause
#include "rows/conjunction_sums.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "base/memory_budget.hpp"
#include "base/parallel.hpp"
#include "rows/place_split.hpp"

namespace gristmill::rows {
namespace {

using Place = RankedRows::Place;

constexpr std::size_t copies = 2;  // of all there is, while parts are put together
constexpr const char* advice = ": take a lower degree, leave rare features out or raise max_bytes";
constexpr std::size_t often = std::size_t{1} << 20U;  // bytes

// What is asked for.
struct Request {
  const RankedRows& rows;
  std::span<const double> values;
  std::size_t outputs;
  std::span<const double> weights;
};

std::size_t nbytes_of(const ConjunctionSums& found) {
  return found.offsets.size() * sizeof(Offset) + found.ids.size() * sizeof(FeatureId) +
         found.sums.size() * sizeof(double);
}

// Scratch of one thread.
class Summer {
 public:
  Summer(const Request& request, std::size_t worker, MemoryBudget& budget, Stop& stop)
      : request_(request), budget_(budget), pulse_(stop, worker), sums_(request.outputs) {
    for (std::size_t size = 1; size < request.weights.size(); ++size) {
      splits_.emplace_back(request.rows.features().size());
    }
  }

  // All conjunctions whose rarest feature is this one.
  void add(Rank rank, ConjunctionSums& out) {
    counted_ = nbytes_of(out);
    grow(rank, request_.rows.places(rank), out);
    account(out);
  }

 private:
  // The conjunction so far and this feature, at these places, and those that contain it.
  void grow(Rank rank, std::span<const Place> places, ConjunctionSums& out) {
    conjunction_.push_back(request_.rows.features().ids()[rank]);
    write(places, out);
    if (conjunction_.size() + 1 < request_.weights.size()) {
      PlaceSplit& split = splits_[conjunction_.size()];
      split.make(request_.rows, places, pulse_);
      for (std::size_t at = 0; at < split.features().size(); ++at) grow(split.features()[at], split.places(at), out);
    }
    conjunction_.pop_back();
  }

  void write(std::span<const Place> places, ConjunctionSums& out) {
    std::ranges::fill(sums_, 0.0);
    for (const Place place : places) {
      const double* own = &request_.values[place.row * request_.outputs];
      for (std::size_t output = 0; output < sums_.size(); ++output) sums_[output] += own[output];
    }
    for (double& sum : sums_) sum *= request_.weights[conjunction_.size()];
    if (std::ranges::all_of(sums_, [](double sum) { return sum == 0; })) return;
    out.ids.insert(out.ids.end(), conjunction_.begin(), conjunction_.end());
    std::ranges::sort(out.ids.end() - static_cast<std::ptrdiff_t>(conjunction_.size()), out.ids.end());
    out.offsets.push_back(static_cast<Offset>(out.ids.size()));
    out.sums.insert(out.sums.end(), sums_.begin(), sums_.end());
    if (nbytes_of(out) >= counted_ + often) account(out);
  }

  // To be called now and then.
  void account(const ConjunctionSums& out) {
    budget_.take(copies * (nbytes_of(out) - counted_));
    counted_ = nbytes_of(out);
  }

  const Request& request_;
  MemoryBudget& budget_;
  Pulse pulse_;
  std::vector<PlaceSplit> splits_;  // by size of the conjunction that grows
  std::vector<FeatureId> conjunction_;
  std::vector<double> sums_;
  std::size_t counted_ = 0;  // bytes of what is being written
};

ConjunctionSums joined(std::vector<ConjunctionSums> parts) {
  ConjunctionSums all;
  std::size_t conjunctions = 0;
  std::size_t ids = 0;
  std::size_t sums = 0;
  for (const ConjunctionSums& part : parts) {
    conjunctions += part.offsets.size() - 1;
    ids += part.ids.size();
    sums += part.sums.size();
  }
  all.offsets.reserve(conjunctions + 1);
  all.ids.reserve(ids);
  all.sums.reserve(sums);
  for (ConjunctionSums& part : parts) {
    const Offset before = all.offsets.back();
    for (std::size_t at = 1; at < part.offsets.size(); ++at) all.offsets.push_back(before + part.offsets[at]);
    all.ids.insert(all.ids.end(), part.ids.begin(), part.ids.end());
    all.sums.insert(all.sums.end(), part.sums.begin(), part.sums.end());
    part = {};
  }
  return all;
}

}  // namespace

ConjunctionSums sum_conjunctions(Rows rows, std::span<const double> values, std::size_t outputs,
                                 std::span<const double> weights, std::size_t max_bytes, std::size_t threads,
                                 Observer& observer) {
  if (values.size() != rows.size() * outputs) throw std::invalid_argument("there are values for rows x outputs");
  constexpr std::size_t grain = 64;  // features
  const RankedRows ranked(rows);
  const Request request{ranked, values, outputs, weights};
  const std::size_t features = weights.size() > 1 ? ranked.features().size() : 0;
  MemoryBudget budget(max_bytes, "the weights of conjunctions", advice);
  Stop stop(observer);
  std::vector<ConjunctionSums> parts((features + grain - 1) / grain);
  std::vector<std::unique_ptr<Summer>> summers(threads_for(features, grain, threads));
  parallel_for(features, grain, threads, stop, [&](std::size_t begin, std::size_t end, std::size_t worker) {
    if (summers[worker] == nullptr) summers[worker] = std::make_unique<Summer>(request, worker, budget, stop);
    for (std::size_t at = begin; at < end; ++at) summers[worker]->add(static_cast<Rank>(at), parts[begin / grain]);
  });
  return joined(std::move(parts));
}

}  // namespace gristmill::rows
