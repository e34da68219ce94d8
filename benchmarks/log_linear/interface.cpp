// SPDX-License-Identifier: BSD-3-Clause
// The trainer as C functions, for ctypes.
#include <exception>
#include <string>

#include "base/errors.hpp"
#include "benchmarks/log_linear/trainer.hpp"

namespace {

using namespace gristmill;
using benchmarks::LogLinearTrainer;

// Rows and their labels as Python has them.
struct Examples {
  const Offset* offsets;
  const FeatureId* ids;
  const std::int32_t* labels;
  std::size_t count;

  [[nodiscard]] rows::Rows rows() const {
    return {{offsets, count + 1}, {ids, static_cast<std::size_t>(offsets[count])}};
  }
};

using Advance = bool (*)(std::size_t done, std::size_t total);

class CalledObserver final : public Observer {
 public:
  explicit CalledObserver(Advance call) : call_(call) {}
  bool advance(std::size_t done, std::size_t total) override { return call_(done, total); }

 private:
  Advance call_;
};

}  // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED LogLinearTrainer* log_linear_new(unsigned degree, double penalty, double rate, double decay, bool keep) {
  return new LogLinearTrainer({degree, penalty, rate, decay, keep});
}

EXPORTED void log_linear_delete(LogLinearTrainer* self) { delete self; }

// What went wrong, or null.
EXPORTED const char* log_linear_learn(LogLinearTrainer* self, const Examples* examples, std::size_t passes,
                                      Advance advance) {
  static thread_local std::string error;
  CalledObserver observer(advance);
  try {
    self->learn(examples->rows(), {examples->labels, examples->count}, passes, observer);
  } catch (const std::exception& caught) {
    error = caught.what();
    return error.c_str();
  }
  return nullptr;
}

EXPORTED void log_linear_score(const LogLinearTrainer* self, const Examples* examples, double* out) {
  self->score(examples->rows(), {out, examples->count});
}

EXPORTED double log_linear_objective(const LogLinearTrainer* self, const Examples* examples) {
  return self->objective(examples->rows(), {examples->labels, examples->count});
}

EXPORTED std::size_t log_linear_conjunctions(const LogLinearTrainer* self) { return self->conjunctions(); }

EXPORTED std::size_t log_linear_used(const LogLinearTrainer* self) { return self->used(); }

EXPORTED std::size_t log_linear_nbytes(const LogLinearTrainer* self) { return self->nbytes(); }
