// SPDX-License-Identifier: Apache-2.0
#include "core/report/wording/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace stepscope {
namespace {

constexpr std::string_view kNoBreak = "\u00a0";

// Four digits of the step time, so that parts of a thousandth still show.
int decimals_for(double value) {
  if (value >= 1000) return 0;
  if (value >= 100) return 1;
  return value >= 10 ? 2 : 3;
}

std::string with_decimals(double value, int decimals) {
  const double smallest = std::pow(10.0, -decimals);
  if (value > 0 && value < smallest / 2) return fmt::format("<{:.{}f}", smallest, decimals);
  return fmt::format("{:.{}f}", value, decimals);
}

std::string with_thousands(std::uint64_t count) {
  const std::string digits = std::to_string(count);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

// "12.0", "(21.47", "-37.83": a last word that ends in a digit and holds no letter.
bool ends_in_number(std::string_view text) {
  const std::string_view word = text.substr(text.rfind(' ') + 1);  // npos + 1 is 0
  const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0; };
  return !word.empty() && std::isdigit(static_cast<unsigned char>(word.back())) != 0 &&
         std::none_of(word.begin(), word.end(), is_letter);
}

bool begins_with_unit(std::string_view text) {
  constexpr std::array<std::string_view, 16> kUnits = {
      "ns", "us", "ms", "s", "min", "h", "%", "B", "kB", "MB", "GB", "TB", "C", "W", "MHz", "GB/s"};
  const std::string_view word = text.substr(0, text.find_first_of(" ,;:.)"));
  return std::find(kUnits.begin(), kUnits.end(), word) != kUnits.end();
}

}  // namespace

TimeUnit unit_for_step(double wall_ns) {
  if (wall_ns >= 10e9) return {"s", 1e9, decimals_for(wall_ns / 1e9)};
  if (wall_ns >= 1e6) return {"ms", 1e6, decimals_for(wall_ns / 1e6)};
  return {"us", 1e3, decimals_for(wall_ns / 1e3)};
}

std::string format_time(double ns, const TimeUnit& unit) {
  return with_decimals(ns / unit.ns, unit.decimals);
}

std::string format_share(double share) {
  return with_decimals(100 * share, 1) + " %";
}

std::string format_count(double count) {
  if (count >= 100 || count == std::floor(count)) {
    return with_thousands(static_cast<std::uint64_t>(std::llround(count)));
  }
  return with_decimals(count, count >= 10 ? 1 : 2);
}

std::string format_exact(std::int64_t count) {
  const auto magnitude = static_cast<std::uint64_t>(count);
  return count < 0 ? "-" + with_thousands(-magnitude) : with_thousands(magnitude);
}

std::string format_bytes(double bytes) {
  constexpr std::array<std::string_view, 4> kUnits = {"kB", "MB", "GB", "TB"};
  if (bytes < 1000) return fmt::format("{:.0f} B", bytes);
  double value = bytes / 1000;
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", value,
                     value >= 99.95   ? 0
                     : value >= 9.995 ? 1
                                      : 2,
                     kUnits[unit]);
}

std::string format_rate(double bytes_per_second) {
  const double value = bytes_per_second / 1e9;
  return with_decimals(value, value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

std::string unbroken(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i + 1);
    const bool keeps =
        text[i] == ' ' &&
        (rest.starts_with("->") || (begins_with_unit(rest) && ends_in_number(text.substr(0, i))));
    out += keeps ? kNoBreak : text.substr(i, 1);
  }
  return out;
}

std::string with_blanks(std::string text) {
  for (std::size_t at = 0; (at = text.find(kNoBreak, at)) != std::string::npos;)
    text.replace(at, kNoBreak.size(), " ");
  return text;
}

}  // namespace stepscope
