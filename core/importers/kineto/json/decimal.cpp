// SPDX-License-Identifier: Apache-2.0
#include "core/importers/kineto/json/decimal.hpp"

#include <charconv>
#include <cmath>
#include <limits>

namespace stepscope::kineto {
namespace {

bool is_digit(char c) {
  return static_cast<unsigned>(c - '0') < 10U;
}

// value = mantissa * 10^exponent; digits past the nineteenth significant one cannot matter to a
// result that fits int64, so they only move the exponent.
struct Decimal {
  std::uint64_t mantissa = 0;
  int exponent = 0;
  bool negative = false;
};

constexpr std::uint64_t kFull = 1'000'000'000'000'000'000;  // one more digit still fits uint64

const char* read_digits(const char* at, const char* end, bool fraction, Decimal& out) {
  for (; at != end && is_digit(*at); ++at) {
    const bool room = out.mantissa < kFull;
    if (room) out.mantissa = out.mantissa * 10 + static_cast<std::uint64_t>(*at - '0');
    if (room && fraction) --out.exponent;
    if (!room && !fraction) ++out.exponent;
  }
  return at;
}

// An exponent of five or more digits is far outside any value: the cap keeps the sum from
// overflowing.
const char* read_exponent(const char* at, const char* end, int& out) {
  if (at != end && *at == '+') ++at;
  int exponent = 0;
  const auto [stop, error] = std::from_chars(at, end, exponent);
  if (error == std::errc::result_out_of_range) exponent = *at == '-' ? -10000 : 10000;
  if (error == std::errc::invalid_argument) return nullptr;
  out += std::min(std::max(exponent, -10000), 10000);
  return stop;
}

bool read_decimal(std::string_view text, Decimal& out) {
  const char* at = text.data();
  const char* const end = at + text.size();
  if (at != end && (*at == '-' || *at == '+')) out.negative = *at == '-', ++at;
  const char* const first = at;
  at = read_digits(at, end, false, out);
  if (at == first) return false;
  if (at != end && *at == '.') at = read_digits(at + 1, end, true, out);
  if (at != end && (*at == 'e' || *at == 'E')) at = read_exponent(at + 1, end, out.exponent);
  return at == end;
}

std::optional<std::uint64_t> magnitude(Decimal d) {
  for (; d.exponent > 0 && d.mantissa != 0; --d.exponent) {
    if (d.mantissa > std::numeric_limits<std::uint64_t>::max() / 10) return std::nullopt;
    d.mantissa *= 10;
  }
  for (; d.exponent < -1 && d.mantissa != 0; ++d.exponent) d.mantissa /= 10;
  if (d.exponent < 0) d.mantissa = (d.mantissa + 5) / 10;
  return d.mantissa;
}

std::optional<std::int64_t> hexadecimal(std::string_view digits) {
  std::uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value, 16);
  if (error != std::errc() || stop != end) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

}  // namespace

std::optional<std::int64_t> scaled_integer(std::string_view number, int shift) {
  Decimal d;
  if (!read_decimal(number, d)) return std::nullopt;
  d.exponent += shift;
  const std::optional<std::uint64_t> size = magnitude(d);
  if (!size || *size > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    return std::nullopt;
  const auto value = static_cast<std::int64_t>(*size);
  return d.negative ? -value : value;
}

std::optional<std::int64_t> nanoseconds(std::string_view microseconds) {
  return scaled_integer(microseconds, 3);
}

std::optional<std::int64_t> integer(std::string_view number) {
  return number.starts_with("0x") ? hexadecimal(number.substr(2)) : scaled_integer(number, 0);
}

std::optional<double> real(std::string_view number) {
  double value = 0;
  const char* const end = number.data() + number.size();
  const auto [stop, error] = std::from_chars(number.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace stepscope::kineto
