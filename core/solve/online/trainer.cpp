// SPDX-License-Identifier: BSD-3-Clause
#include "solve/online/trainer.hpp"

#include <algorithm>
#include <numeric>

#include "solve/online/kernel_margins.hpp"
#include "solve/online/pushed_margins.hpp"

namespace gristmill::solve::online {
namespace {

constexpr std::size_t between_reports = 256;  // examples

// SplitMix64 (Steele et al. 2014): the same order on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t operator()() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

void shuffle(std::vector<RowId>& order, Random& random) {
  for (std::size_t left = order.size(); left > 1; --left) std::swap(order[left - 1], order[random() % left]);
}

RankRows translated(RankTable& table, rows::Rows rows) {
  RankRows examples;
  examples.reserve(rows.size(), rows.ids.size());
  std::vector<rows::Rank> ranks;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    table.translate(rows[row], ranks);
    examples.append(ranks);
  }
  return examples;
}

std::size_t longest_of(const RankRows& rows) {
  std::size_t longest = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) longest = std::max(longest, rows[row].size());
  return longest;
}

// For each row the first one that is equal to it.
std::vector<RowId> first_equals(const RankRows& rows) {
  std::vector<RowId> sorted(rows.size());
  std::iota(sorted.begin(), sorted.end(), RowId{0});
  std::ranges::stable_sort(sorted,
                           [&](RowId a, RowId b) { return std::ranges::lexicographical_compare(rows[a], rows[b]); });
  std::vector<RowId> first(rows.size());
  for (std::size_t at = 0; at < sorted.size(); ++at) {
    const bool same = at > 0 && std::ranges::equal(rows[sorted[at - 1]], rows[sorted[at]]);
    first[sorted[at]] = same ? first[sorted[at - 1]] : sorted[at];
  }
  return first;
}

// However a call ends, its examples are gone after it.
template <class AnyLearner>
class ForgetExamplesGuard {
 public:
  explicit ForgetExamplesGuard(AnyLearner& learner) : learner_(learner) {}
  ForgetExamplesGuard(const ForgetExamplesGuard&) = delete;
  ForgetExamplesGuard& operator=(const ForgetExamplesGuard&) = delete;
  ~ForgetExamplesGuard() {
    forget<std::int64_t>();
    forget<Wide>();
    forget<double>();
  }

 private:
  template <class Number>
  void forget() noexcept {
    if (auto* learner = std::get_if<Learner<Number>>(&learner_)) learner->forget_examples();
  }

  AnyLearner& learner_;
};

}  // namespace

template <class Number>
Learner<Number> OnlineTrainer::make_learner() const {
  const auto& options = options_;
  return Learner<Number>(
      options.kernel, options.rule, options.outputs, options.exponent.value_or(0),
      [&](const Rule<Number>& rule) -> std::unique_ptr<Margins<Number>> {
        switch (options.engine) {
          case OnlineEngine::kernel:
            return std::make_unique<KernelMargins<Number>>(options.kernel, options.outputs);
          case OnlineEngine::pushed:
            return std::make_unique<PushedMargins<Number>>(options.kernel, options.outputs, options.block);
          default:
            return std::make_unique<SlicedMargins<Number>>(options.kernel, options.outputs, options.slices, rule);
        }
      });
}

OnlineTrainer::OnlineTrainer(const OnlineOptions& options) : options_(options), learner_(first_learner()) {}

OnlineTrainer::AnyLearner OnlineTrainer::first_learner() const {
  if (!options_.exponent) return make_learner<double>();
  try {
    return make_learner<std::int64_t>();
  } catch (const TooNarrow&) {
    return make_learner<Wide>();
  }
}

template <class Action>
void OnlineTrainer::with_room(const RankRows& examples, Crew& crew, Action action) {
  try {
    std::visit(action, learner_);
  } catch (const TooNarrow&) {
    const auto* narrow = std::get_if<Learner<std::int64_t>>(&learner_);
    if (narrow == nullptr) throw;
    Learner<Wide> wide = make_learner<Wide>();
    wide.continue_from(*narrow);
    wide.expect(examples, crew);
    learner_ = std::move(wide);
    std::visit(action, learner_);
  }
}

void OnlineTrainer::learn(const OnlineCall& call, Observer& observer) {
  visited_ = call.visited;
  if (options_.by_frequency && rank_table_.size() == 0) rank_table_.rank_by_frequency(call.rows);
  const RankRows examples = translated(rank_table_, call.rows);
  if (options_.exponent) refine_unit(options_.rule.exponent_for(longest_of(examples), *options_.exponent));
  // The order in which doubles are added up must not depend on the number of threads.
  Crew crew(options_.exponent && options_.engine == OnlineEngine::pushed ? call.threads : 1);
  const ForgetExamplesGuard at_the_end(learner_);
  if (call.visited > 0) pass_on_kept(call);
  offered_.reset();
  with_room(examples, crew, [&](auto& learner) { learner.expect(examples, crew); });
  std::vector<RowId> stored(examples.size(), Learner<double>::no_row);
  std::vector<RowId> order(examples.size());
  std::iota(order.begin(), order.end(), RowId{0});
  Random random(call.seed.value_or(0));
  for (std::size_t pass = 0; pass < call.passes; ++pass) {
    if (call.seed) shuffle(order, random);
    if ((pass + 1) * examples.size() <= call.visited) continue;
    const bool final = pass + 1 == call.passes && !call.seed;
    std::visit([&](auto& learner) { learner.begin_pass(final); }, learner_);
    learn_pass(call, examples, order, stored, pass * examples.size(), crew, observer);
  }
  visited_ = call.passes * examples.size();
}

void OnlineTrainer::learn_pass(const OnlineCall& call, const RankRows& examples, std::span<const RowId> order,
                               std::vector<RowId>& stored, std::size_t done, Crew& crew, Observer& observer) {
  const std::size_t total = call.passes * examples.size();
  std::size_t at = call.visited > done ? call.visited - done : 0;
  with_room(examples, crew, [&](auto& learner) {
    for (std::size_t end = at; at < order.size(); ++at) {
      if (at == end) end += learner.look_ahead(order.subspan(at));
      visited_ = done + at;
      if ((done + at) % between_reports == 0) require(observer, done + at, total);
      const RowId row = order[at];
      const double weight = call.weights.empty() ? 1.0 : call.weights[row];
      if (weight > 0) learner.learn({{row, examples[row]}, call.labels[row], weight}, stored[row]);
    }
  });
}

OnlineTrainer::State OnlineTrainer::state() const {
  State made;
  made.features = rank_table_.ids();
  made.offsets = {0};
  made.stats = stats();
  std::visit(
      [&]<class Number>(const Learner<Number>& learner) {
        const SupportLog<Number>& log = learner.log();
        for (std::size_t row = 0; row < log.rows.size(); ++row) {
          made.ranks.insert(made.ranks.end(), log.rows[row].begin(), log.rows[row].end());
          made.offsets.push_back(static_cast<Offset>(made.ranks.size()));
        }
        for (const Step<Number>& step : log.steps) {
          made.rows.push_back(step.row);
          made.up.push_back(step.up);
          made.down.push_back(step.down);
          made.times.push_back(step.time);
          if constexpr (is_integer<Number>) {
            made.units.push_back(step.size);
          } else {
            made.sizes.push_back(step.size);
          }
        }
      },
      learner_);
  return made;
}

template <class Number>
SupportLog<Number> OnlineTrainer::log_of(const State& state) const {
  SupportLog<Number> log;
  for (std::size_t row = 0; row + 1 < state.offsets.size(); ++row) {
    const auto from = static_cast<std::size_t>(state.offsets[row]);
    log.rows.append(std::span(state.ranks).subspan(from, static_cast<std::size_t>(state.offsets[row + 1]) - from));
  }
  for (std::size_t step = 0; step < state.rows.size(); ++step) {
    Number size;
    if constexpr (is_integer<Number>) {
      if (state.units[step] > largest_number<Number>) throw TooNarrow();
      size = static_cast<Number>(state.units[step]);
    } else {
      size = state.sizes[step];
    }
    log.steps.push_back({state.rows[step], state.up[step], state.down[step], size, state.times[step]});
  }
  return log;
}

void OnlineTrainer::restore(const State& state) {
  for (const FeatureId id : state.features) rank_table_.append(id);
  continue_with(state);
}

void OnlineTrainer::continue_with(const State& state) {
  if (support_rows() > 0) throw std::invalid_argument("this trainer has learned something already");
  const auto continue_as = [&]<class Number>(Learner<Number>& learner) {
    learner.continue_from(log_of<Number>(state), state.stats);
  };
  try {
    std::visit(continue_as, learner_);
  } catch (const TooNarrow&) {
    if (!std::holds_alternative<Learner<std::int64_t>>(learner_)) throw;
    learner_ = make_learner<Wide>();  // what the other one took in is of no use
    std::visit(continue_as, learner_);
  }
}

// Counts everything in finer units, exactly: the learner is made anew from its log.
void OnlineTrainer::refine_unit(int exponent) {
  const int before = options_.exponent.value_or(exponent);  // doubles have no unit
  if (exponent <= before) return;
  State state = this->state();
  const int shift = exponent - before;
  for (Wide& units : state.units) {
    if (units > largest_number<Wide> >> shift) throw TooNarrow();
    units <<= shift;
  }
  AnyLearner old = std::move(learner_);
  options_.exponent = exponent;
  try {
    learner_ = first_learner();
    continue_with(state);
  } catch (...) {
    learner_ = std::move(old);
    options_.exponent = before;
    throw;
  }
  offered_.reset();
}

OnlineTrainer::Kept OnlineTrainer::kept() const {
  return std::visit(
      []<class Number>(const Learner<Number>& learner) {
        const KeptScores<Number> kept = learner.margins().kept();
        Kept made{kept.examples, kept.first, kept.line, kept.steps, {}, {}};
        if constexpr (is_integer<Number>) {
          made.units.assign(kept.rest.begin(), kept.rest.end());
        } else {
          made.sizes = kept.rest;
        }
        return made;
      },
      learner_);
}

void OnlineTrainer::pass_on_kept(const OnlineCall& call) {
  if (!offered_) return;
  const std::size_t last_pass = (call.passes - 1) * call.rows.size();
  const std::size_t first_asked = !call.seed && call.visited > last_pass ? call.visited - last_pass : 0;
  if (offered_->first > first_asked) return;
  std::visit(
      [&]<class Number>(Learner<Number>& learner) {
        KeptScores<Number> kept{offered_->examples, offered_->first, offered_->line, offered_->steps, {}};
        if constexpr (is_integer<Number>) {
          for (const Wide number : offered_->units) {
            if (number > largest_number<Number> || -number > largest_number<Number>) return;
            kept.rest.push_back(static_cast<Number>(number));
          }
        } else {
          kept.rest = offered_->sizes;
        }
        learner.offer(std::move(kept));
      },
      learner_);
}

void OnlineTrainer::start_from(rows::Rows rows, std::span<const double> coef) {
  if (options_.by_frequency) rank_table_.rank_by_frequency(rows);
  State state;
  state.offsets = {0};
  std::vector<rows::Rank> ranks;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    rank_table_.translate(rows[row], ranks);
    state.ranks.insert(state.ranks.end(), ranks.begin(), ranks.end());
    state.offsets.push_back(static_cast<Offset>(state.ranks.size()));
    for (std::size_t o = 0; o < options_.outputs; ++o) {
      const double a = coef[row * options_.outputs + o];
      if (a == 0) continue;
      state.rows.push_back(static_cast<RowId>(row));
      state.up.push_back(a > 0 ? static_cast<std::int32_t>(o) : Step<double>::nobody);
      state.down.push_back(a > 0 ? Step<double>::nobody : static_cast<std::int32_t>(o));
      state.times.push_back(0);
      state.sizes.push_back(std::abs(a));
      state.units.push_back(whole<Wide>(std::round(std::ldexp(std::abs(a), options_.exponent.value_or(0)))));
    }
  }
  continue_with(state);
}

LearnerStats OnlineTrainer::stats() const {
  return std::visit([](const auto& learner) { return learner.stats(); }, learner_);
}

std::size_t OnlineTrainer::support_rows() const {
  return std::visit([](const auto& learner) { return learner.log().rows.size(); }, learner_);
}

std::size_t OnlineTrainer::nbytes() const {
  return std::visit([](const auto& learner) { return learner.margins().nbytes() + learner.log().rows.nbytes(); },
                    learner_);
}

std::uint64_t OnlineTrainer::postings_read() const {
  return std::visit([](const auto& learner) { return learner.margins().postings_read(); }, learner_);
}

OnlineTrainer::Support OnlineTrainer::support(bool averaged) const {
  Support made{{0}, {}, {}};
  std::visit(
      [&](const auto& learner) {
        const RankRows& rows = learner.log().rows;
        const std::vector<RowId> first = first_equals(rows);
        const std::vector<double> coef = learner.coefficients(averaged, first);
        for (RowId row = 0; row < rows.size(); ++row) {
          const auto own = std::span(coef).subspan(row * options_.outputs, options_.outputs);
          if (std::ranges::all_of(own, [](double a) { return a == 0; })) continue;
          made.coef.insert(made.coef.end(), own.begin(), own.end());
          for (const rows::Rank rank : rows[row]) made.ids.push_back(rank_table_.ids()[rank]);
          std::sort(made.ids.begin() + made.offsets.back(), made.ids.end());
          made.offsets.push_back(static_cast<Offset>(made.ids.size()));
        }
      },
      learner_);
  return made;
}

}  // namespace gristmill::solve::online
