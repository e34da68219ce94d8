// SPDX-License-Identifier: BSD-3-Clause
// What an extractor remembers: strings it has met as numbers, and the features they make. One per thread. It grows with
// the text and says when it is time to begin anew; nothing depends on what it remembers but time.
#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/edge_map.hpp"
#include "base/sequence_table.hpp"
#include "base/types.hpp"
#include "templates/templates.hpp"

namespace gristmill {

using Strings = SequenceTable<char>;

constexpr FeatureId no_feature = -1;

// Where features have numbers.
class FeatureBook {
 public:
  FeatureBook() = default;
  FeatureBook(const FeatureBook&) = delete;
  FeatureBook& operator=(const FeatureBook&) = delete;
  virtual ~FeatureBook() = default;
  // Or no_feature.
  virtual FeatureId number_of(std::string_view name) = 0;
};

// A book that is closed: threads may share the strings.
class KnownFeatures final : public FeatureBook {
 public:
  explicit KnownFeatures(const Strings& names) : names_(names) {}
  FeatureId number_of(std::string_view name) override {
    const Strings::Id id = names_.find(name);
    return id == Strings::none ? no_feature : static_cast<FeatureId>(id);
  }

 private:
  const Strings& names_;
};

// A book that takes every feature it is asked for.
class NewFeatures final : public FeatureBook {
 public:
  explicit NewFeatures(Strings& names) : names_(names) {}
  FeatureId number_of(std::string_view name) override;

 private:
  Strings& names_;
};

class Memo {
 public:
  using Value = std::uint32_t;
  static constexpr Value nothing = std::numeric_limits<Value>::max();

  explicit Memo(const Templates& templates);

  // The values of all sights of a token, whose cells number_of() has numbered: of a bag its number.
  std::uint32_t number_of(std::uint32_t column, std::string_view cell) { return columns_[column].intern(cell); }
  Value value_of(std::uint32_t sight, std::uint32_t cell) {
    const std::vector<Value>& known = sights_[sight].of_cell;
    return cell < known.size() && known[cell] != unseen ? known[cell] : see_new(sight, cell);
  }
  // Of the token so far before the first one (below 0) or behind the last one (above 0), up to the templates' reach.
  [[nodiscard]] Value value_outside(std::uint32_t sight, std::int64_t distance) const {
    return outside_[sight * 2 * templates_.reach +
                    static_cast<std::size_t>(distance < 0 ? -distance - 1 : distance - 1 + templates_.reach)];
  }
  [[nodiscard]] std::span<const Value> bag(std::uint32_t sight, Value number) const;
  [[nodiscard]] std::string_view text(std::uint32_t sight, Value value) const;

  // Features that were asked for before, by their item and values; `unknown` is what it has not heard of.
  static constexpr FeatureId unknown = -2;
  [[nodiscard]] FeatureId single(std::uint32_t item, Value value) const {
    const std::vector<FeatureId>& known = singles_[item];
    return value < known.size() ? known[value] : unknown;
  }
  void keep_single(std::uint32_t item, Value value, FeatureId feature);
  // The node of a sequence of values.
  EdgeMap::Node node_of(std::uint32_t item, std::span<const Value> values);
  [[nodiscard]] FeatureId at_node(EdgeMap::Node node) const { return node < nodes_.size() ? nodes_[node] : unknown; }
  void keep_node(EdgeMap::Node node, FeatureId feature);

  [[nodiscard]] bool is_full() const noexcept;
  void forget() { begin(); }

 private:
  static constexpr Value unseen = nothing - 1;

  struct SightMemo {
    Strings values;
    std::vector<Value> of_cell;
    std::vector<std::size_t> bag_ends{0};
    std::vector<Value> bag_values;
  };

  Value see_new(std::uint32_t sight, std::uint32_t cell);
  Value see_outside(std::uint32_t sight, std::string_view text);
  static Value new_bag(SightMemo& memo);
  void begin();

  const Templates& templates_;
  std::vector<Strings> columns_;  // their cells
  std::vector<SightMemo> sights_;
  std::vector<Value> outside_;                   // sights x (1, 2, ... to the left, 1, 2, ... to the right)
  std::vector<std::vector<FeatureId>> singles_;  // by item
  EdgeMap chains_;
  std::vector<FeatureId> nodes_;
  ViewBuffers buffers_;
};

}  // namespace gristmill
