// SPDX-License-Identifier: BSD-3-Clause
// A place in binary data that knows its offset: what parsers of compiled models read with. Numbers are little-endian
// whatever the machine. Nothing is read past the end.
#pragma once
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/errors.hpp"

namespace gristmill::text {

// Of the first bytes, of which there must be enough.
template <std::unsigned_integral Word>
[[nodiscard]] Word little_endian(std::string_view bytes) noexcept {
  Word word = 0;
  for (std::size_t i = 0; i < sizeof(Word); ++i) {
    word |= static_cast<Word>(Word{static_cast<unsigned char>(bytes[i])} << (8 * i));
  }
  return word;
}

[[nodiscard]] inline double little_endian_double(std::string_view bytes) noexcept {
  return std::bit_cast<double>(little_endian<std::uint64_t>(bytes));
}

// Numbers side by side in borrowed bytes, which need not be aligned.
template <class Number>
class Packed {
 public:
  // `offset` is where the bytes stand in the file, for errors.
  Packed(std::string_view bytes, std::size_t offset) : bytes_(bytes), offset_(offset) {}

  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size() / sizeof(Number); }
  [[nodiscard]] std::size_t offset_of(std::size_t i) const noexcept { return offset_ + i * sizeof(Number); }

  [[nodiscard]] Number operator[](std::size_t i) const noexcept {
    const std::string_view at = bytes_.substr(i * sizeof(Number));
    if constexpr (std::same_as<Number, double>) {
      return little_endian_double(at);
    } else {
      return static_cast<Number>(little_endian<std::make_unsigned_t<Number>>(at));
    }
  }

  [[noreturn]] void fail_at(std::size_t i, const std::string& message) const { throw ByteError(message, offset_of(i)); }

 private:
  std::string_view bytes_;
  std::size_t offset_;
};

class ByteCursor {
 public:
  explicit ByteCursor(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] std::size_t offset() const noexcept { return at_; }

  std::string_view take(std::uint64_t size, std::string_view what) {
    if (size > bytes_.size() - at_) fail("the file ends within " + std::string(what));
    const std::string_view taken = bytes_.substr(at_, static_cast<std::size_t>(size));
    at_ += taken.size();
    return taken;
  }

  template <class Number>
  Packed<Number> take_packed(std::uint64_t count, std::string_view what) {
    const std::size_t offset = at_;
    return {take(count * sizeof(Number), what), offset};  // counts are of 32 bits: no overflow
  }

  std::uint32_t whole(std::string_view what) { return little_endian<std::uint32_t>(take(4, what)); }

  double finite(std::string_view what) {
    const double number = little_endian_double(take(8, what));
    if (!std::isfinite(number)) throw ByteError(std::string(what) + " is not a finite number", at_ - 8);
    return number;
  }

  // Text in a field of this many bytes, up to the first NUL if there is one.
  std::string_view padded(std::size_t size, std::string_view what) {
    const std::string_view field = take(size, what);
    return field.substr(0, field.find('\0'));
  }

  [[noreturn]] void fail(const std::string& message) const { throw ByteError(message, at_); }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

}  // namespace gristmill::text
