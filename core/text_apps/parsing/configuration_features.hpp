// SPDX-License-Identifier: BSD-3-Clause
// Features of a configuration: places are addresses, such as the leftmost dependent of the top of the stack.
#pragma once
#include <memory>
#include <vector>

#include "text_apps/parsing/configuration.hpp"
#include "text_apps/templates/extractor.hpp"

namespace gristmill::text_apps::parsing {

struct Address {
  enum class Base : std::uint8_t { stack, buffer };
  enum class Step : std::uint8_t { head, ldep, rdep, ldep2, rdep2, lsib, rsib, pred, succ };

  Base base = Base::stack;
  std::uint32_t depth = 0;
  std::vector<Step> steps;
};

[[nodiscard]] Word word_at(const Configuration& configuration, const Address& address);

// A number that is not of one token. Facts of words that are not there are not there.
struct Fact {
  enum class Kind : std::uint8_t {
    lefts,     // left dependents of `place`, 3 for more
    rights,    // right ones
    distance,  // from `place` to `other`: 1 to 4, 5 for 5 and 6, 7 for 7 to 10, 11 for more
  };

  Kind kind = Kind::lefts;
  std::uint32_t place = 0;
  std::uint32_t other = 0;
};

class ConfigurationFeatures {
 public:
  // addresses: of the places of the extractor's templates.
  ConfigurationFeatures(std::shared_ptr<const templates::Extractor> extractor, std::vector<Address> addresses,
                        std::vector<Fact> facts);

  [[nodiscard]] const templates::Extractor& extractor() const noexcept { return *extractor_; }

  struct Scratch {
    std::vector<std::int64_t> positions;
    std::vector<std::int32_t> facts;
  };

  // Appends the features of a configuration, ascending.
  void add_row(const Configuration& configuration, const templates::Reading& reading, Scratch& scratch,
               templates::Memo& memo, templates::FeatureDictionary& dictionary, std::vector<FeatureId>& row) const;

 private:
  [[nodiscard]] static std::int32_t value_of(const Fact& fact, const Configuration& configuration,
                                             std::span<const std::int64_t> positions);

  std::shared_ptr<const templates::Extractor> extractor_;
  std::vector<Address> addresses_;
  std::vector<Fact> facts_;
};

}  // namespace gristmill::text_apps::parsing
