// SPDX-License-Identifier: BSD-3-Clause
// From rows of configurations to actions: one machine, or one for each value of a cell, such as the part of speech of
// the next word (classifier splitting, Nivre 2006).
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "score/decision/labeller.hpp"
#include "text/cells.hpp"
#include "text_apps/parsing/configuration_features.hpp"
#include "text_apps/parsing/system.hpp"

namespace gristmill::text_apps::parsing {

class ActionClassifier {
 public:
  struct Part {
    std::shared_ptr<const score::decision::Labeller> labeller;
    std::vector<Action> actions;  // of its classes
  };

  // Which part decides: by a cell of the word at an address.
  struct Route {
    Address address;
    std::uint32_t column = 0;
    templates::Strings values;
    std::vector<std::uint32_t> parts;  // of values
    std::uint32_t other = 0;           // for values that are not among them, and where there is no word
  };

  using Scratch = std::vector<std::optional<score::decision::Labeller::Scratch>>;  // of parts, as they are needed

  // relation: for an arc that must be made though no machine knows one.
  ActionClassifier(std::vector<Part> parts, std::optional<Route> route, std::int32_t relation);

  [[nodiscard]] std::size_t size() const noexcept { return parts_.size(); }
  // That words must have.
  [[nodiscard]] std::uint32_t columns() const noexcept { return route_ ? route_->column + 1 : 0; }
  [[nodiscard]] std::int32_t fallback() const noexcept { return relation_; }
  [[nodiscard]] const Part& part(std::size_t number) const { return parts_[number]; }
  [[nodiscard]] Scratch make_scratch() const { return Scratch(parts_.size()); }

  [[nodiscard]] std::uint32_t part_for(const Configuration& configuration, const text::Cells& cells) const;

  // Actions of rows that one part decides on, each legal; `legal` has the moves of each row.
  void choose(std::uint32_t part, rows::Rows rows, std::span<const MoveSet> legal, std::span<Action> out,
              Scratch& scratch) const;

  // How much each class of a part has for it: its score, or its votes.
  [[nodiscard]] std::vector<double> scores_of(std::uint32_t part, rows::Row row, Scratch& scratch) const;
  // Where no class of a part is legal.
  [[nodiscard]] Action last_resort(MoveSet legal) const;

 private:
  [[nodiscard]] score::decision::Labeller::Scratch& scratch_of(std::uint32_t part, Scratch& scratch) const;
  [[nodiscard]] std::vector<std::uint8_t> mark_legal(std::uint32_t part, MoveSet legal) const;

  std::vector<Part> parts_;
  std::optional<Route> route_;
  std::int32_t relation_;
};

}  // namespace gristmill::text_apps::parsing
