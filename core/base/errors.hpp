// SPDX-License-Identifier: BSD-3-Clause
// What the core throws: ParseError for bad text and ByteError for bad binary data (the bindings make both a
// FormatError), Interrupted when an observer asked to stop, std::invalid_argument for arguments that cannot be served.
#pragma once
#include <cstddef>
#include <stdexcept>
#include <string>

namespace gristmill::inline base {

class ParseError : public std::runtime_error {
 public:
  // Lines and columns count from 1; columns are bytes.
  ParseError(const std::string& message, std::size_t line, std::size_t column)
      : std::runtime_error(message), line_(line), column_(column) {}

  [[nodiscard]] std::size_t line() const noexcept { return line_; }
  [[nodiscard]] std::size_t column() const noexcept { return column_; }

 private:
  std::size_t line_;
  std::size_t column_;
};

class ByteError : public std::runtime_error {
 public:
  // Binary data have no lines; the offset, counted from 0, stands in the message.
  ByteError(const std::string& message, std::size_t offset)
      : std::runtime_error("byte " + std::to_string(offset) + ": " + message) {}
};

class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("stopped on request") {}
};

}  // namespace gristmill::inline base
