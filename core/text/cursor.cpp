// SPDX-License-Identifier: BSD-3-Clause
#include "text/cursor.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace gristmill::text {
namespace {

// from_chars says "out of range" for too large and for too small alike; strtod tells them apart.
double out_of_range_value(const char* begin, const char* end) {
  const std::string copy(begin, end);
  return std::strtod(copy.c_str(), nullptr);
}

}  // namespace

void Cursor::skip_to_line_end() noexcept { at_ = std::find(at_, end_, '\n'); }

void Cursor::next_line() noexcept {
  if (at_end()) return;
  at_ += *at_ == '\r' && left() >= 2 ? 2 : 1;
  line_start_ = at_;
  ++line_;
}

bool Cursor::take(std::string_view wanted) noexcept {
  if (static_cast<std::size_t>(end_ - at_) < wanted.size() || !std::equal(wanted.begin(), wanted.end(), at_)) {
    return false;
  }
  at_ += wanted.size();
  return true;
}

std::string_view Cursor::word() noexcept {
  const char* begin = at_;
  while (!at_line_end() && !at_space()) ++at_;
  return since(begin);
}

double Cursor::number(std::string_view what) {
  const char* begin = at_;
  if (peek() == '+') ++begin;  // from_chars does not take a plus sign
  double value = 0;
  const auto [stop, error] = std::from_chars(begin, end_, value);
  if (error == std::errc::invalid_argument || (begin != at_ && begin < end_ && *begin == '-')) {
    fail("expected " + std::string(what) + ", got " + here());
  }
  if (error == std::errc::result_out_of_range) value = out_of_range_value(begin, stop);
  if (!std::isfinite(value)) fail(std::string(what) + " is not a finite double: " + here());
  at_ = stop;
  return value;
}

std::int64_t Cursor::integer(std::string_view what) {
  const char* begin = at_;
  if (peek() == '+') ++begin;
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(begin, end_, value);
  if (error == std::errc::result_out_of_range) fail(std::string(what) + " is too large: " + here());
  if (error != std::errc{} || (begin != at_ && *begin == '-')) {
    fail("expected " + std::string(what) + ", got " + here());
  }
  at_ = stop;
  return value;
}

std::int64_t Cursor::integer(std::string_view what, std::int64_t low, std::int64_t high) {
  const char* begin = at_;
  const std::int64_t value = integer(what);
  if (value < low || value > high) {
    fail_at(begin, std::string(what) + " must lie between " + std::to_string(low) + " and " + std::to_string(high) +
                       ", got " + std::to_string(value));
  }
  return value;
}

void Cursor::fail_at(const char* mark, const std::string& message) const { throw error_at(mark, message); }

ParseError Cursor::error_at(const char* mark, const std::string& message) const {
  const std::string_view before(line_start_, static_cast<std::size_t>(mark - line_start_));
  const auto lines = static_cast<std::size_t>(std::ranges::count(before, '\n'));
  return {message, line_ + lines, before.size() - (before.rfind('\n') + 1) + 1};  // npos + 1 is 0
}

std::string Cursor::here() const {
  if (at_end()) return "the end of the file";
  if (at_line_end()) return "the end of the line";
  Cursor ahead = *this;
  ahead.skip_spaces();
  return quoted(ahead.word());
}

std::string quoted(std::string_view text) {
  constexpr std::size_t most = 24;
  std::string shown(text.substr(0, most));
  std::ranges::replace_if(shown, [](char byte) { return byte < 0x20 || byte > 0x7E; }, '?');
  return "'" + shown + (text.size() > most ? "...'" : "'");
}

}  // namespace gristmill::text
