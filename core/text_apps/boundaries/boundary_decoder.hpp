// SPDX-License-Identifier: BSD-3-Clause
// Decides where words end, by tables of what stands around a boundary (see window_weights.hpp). Where a score is too
// close to 0 to trust its sign, the labeller decides on the features of the boundary: classes are always the
// definition's.
#pragma once
#include <memory>
#include <span>

#include "base/observer.hpp"
#include "base/pool.hpp"
#include "score/decision/labeller.hpp"
#include "text_apps/boundaries/boundary_scores.hpp"
#include "text_apps/boundaries/word_comb.hpp"
#include "text_apps/tagging/character_lines.hpp"

namespace gristmill::text_apps::boundaries {

class BoundaryDecoder {
 public:
  // Nothing for machines and templates without such tables, and where they would be larger than so many bytes.
  // names: of the features; words: may be null. The machine is the labeller's, which is borrowed.
  static std::unique_ptr<BoundaryDecoder> make(const tagging::Window& window, const templates::Strings& names,
                                               const tagging::Dictionary* words,
                                               const score::decision::Labeller& labeller, std::size_t max_bytes,
                                               Observer& observer);
  BoundaryDecoder(const BoundaryDecoder&) = delete;
  BoundaryDecoder& operator=(const BoundaryDecoder&) = delete;
  ~BoundaryDecoder();

  [[nodiscard]] std::size_t nbytes() const noexcept { return tables_.nbytes() + words_.nbytes(); }

  // The class of the boundary behind each character. Threads may share a decoder.
  void decode(const tagging::CharacterLines& lines, std::span<std::int32_t> out, std::size_t threads,
              Observer& observer) const;

 private:
  class Worker;

  BoundaryDecoder(WindowFeatures features, ScoreTables tables, WordComb words,
                  const score::decision::Labeller& labeller);

  WindowFeatures features_;
  ScoreTables tables_;
  WordComb words_;
  const score::decision::Labeller& labeller_;
  mutable Pool<Worker> idle_;
};

}  // namespace gristmill::text_apps::boundaries
