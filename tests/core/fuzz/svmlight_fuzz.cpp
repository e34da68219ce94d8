// SPDX-License-Identifier: BSD-3-Clause
// Data in svmlight format: what is written of it reads the same. Options: where ids count from, kind of labels.
#include "fuzz.hpp"
#include "text/svmlight.hpp"

namespace gristmill::fuzz {

void read(std::string_view input) {
  Silent observer;
  const std::uint8_t options = take_options(input);
  const auto base = static_cast<text::IdBase>(options % 4);
  const auto kind = (options & 4U) != 0 ? text::LabelKind::words : text::LabelKind::numbers;
  const text::SvmlightData data = text::parse_svmlight(input, base, kind, observer);
  const bool one_based = !data.rows.zero_based();
  const std::string written = text::format_svmlight(data.labels, data.queries,
                                                    {{data.rows.offsets, data.rows.ids}, data.rows.values}, one_based);
  const text::SvmlightData again = text::parse_svmlight(written, one_based ? text::IdBase::one : text::IdBase::zero,
                                                        text::LabelKind::numbers, observer);
  INSIST(again.labels == data.labels && again.queries == data.queries);
  INSIST(again.rows.ids == data.rows.ids && again.rows.offsets == data.rows.offsets);
  INSIST(again.rows.values == data.rows.values);
}

}  // namespace gristmill::fuzz
