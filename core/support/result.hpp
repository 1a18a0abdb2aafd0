// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value, or an Error that a user can act on. Expected failures (bad input, a full
// disk) travel as values; exceptions are for programming errors and never cross a C callback.
// Messages name the file, field or argument and say what to do next.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace stepscope {

// Each code maps to one documented exit status of the command line (cli/output/exit_codes.hpp).
enum class ErrorCode {
  usage,         // wrong arguments or policy
  bad_input,     // corrupt, truncated, hostile or empty file
  io,            // cannot open, read or write
  unsupported,   // right format, but a version or feature that this build does not know
  inconclusive,  // the input is sound and the question has no honest answer
};

struct Error {
  ErrorCode code = ErrorCode::bad_input;
  std::string message;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & { return assert(ok()), std::get<0>(state_); }
  const T& value() const& { return assert(ok()), std::get<0>(state_); }
  T&& value() && { return assert(ok()), std::get<0>(std::move(state_)); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }

  const Error& error() const { return assert(!ok()), std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

struct Done {};
using Status = Result<Done>;

inline Error bad_input(std::string message) {
  return {ErrorCode::bad_input, std::move(message)};
}
inline Error io_error(std::string message) {
  return {ErrorCode::io, std::move(message)};
}
inline Error usage_error(std::string message) {
  return {ErrorCode::usage, std::move(message)};
}

}  // namespace stepscope
