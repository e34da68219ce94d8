// SPDX-License-Identifier: BSD-3-Clause
// Greedy decoding: token after token, each with the labels of those before it. Several sentences are on their way at
// once, so that a scorer has several rows in flight; the answer does not depend on how many. With rules, a token gets the
// best of the labels that they allow there.
#pragma once
#include <span>

#include "base/observer.hpp"
#include "base/pool.hpp"
#include "score/decision/labeller.hpp"
#include "text/columns.hpp"
#include "text_apps/tagging/tag_rules.hpp"
#include "text_apps/tagging/window.hpp"

namespace gristmill::text_apps::tagging {

// Borrows what it is made of. Threads may share it: each call takes the workers it needs, and leaves them to later
// calls with all that their memos know.
class Decoder {
 public:
  // names: of the features. rules: of the same direction, or none.
  Decoder(const Window& window, const templates::Strings& names, const score::decision::Labeller& labeller,
          bool backward = false, const TagRules* rules = nullptr);
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  ~Decoder();

  // The class of each token, in the order of the text.
  void decode(const text::Columns& columns, std::span<std::int32_t> out, std::size_t threads, Observer& observer) const;

 private:
  class Worker;

  const Window& window_;
  const templates::Strings& names_;
  const score::decision::Labeller& labeller_;
  bool backward_;
  const TagRules* rules_;
  mutable Pool<Worker> idle_;
};

}  // namespace gristmill::text_apps::tagging
