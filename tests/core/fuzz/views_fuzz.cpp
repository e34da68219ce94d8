// SPDX-License-Identifier: BSD-3-Clause
// What templates see of a cell: of characters, characters. Options: the kind of view and how many characters.
#include "base/utf8.hpp"
#include "fuzz.hpp"
#include "text/columns.hpp"
#include "text_apps/templates/view.hpp"

namespace gristmill::fuzz {

using text_apps::templates::View;

void read(std::string_view input) {
  const std::uint8_t options = take_options(input);
  if (text::first_bad_byte(input) != input.size() || input.empty()) return;
  INSIST(is_utf8(input));
  constexpr unsigned kinds = static_cast<unsigned>(View::Kind::parts) + 1;
  const View view{static_cast<View::Kind>(options % kinds), 1 + options / kinds % 5, options >= 128};
  text_apps::templates::ViewBuffers buffers;
  std::size_t values = 0;
  text_apps::templates::see(view, input, buffers, [&](std::string_view value) {
    INSIST(is_utf8(value));
    ++values;
  });
  INSIST(values <= input.size() + 1);
}

}  // namespace gristmill::fuzz
