// SPDX-License-Identifier: Apache-2.0
#include "core/support/duration.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

namespace stepscope {
namespace {

struct Unit {
  std::string_view name;
  double ns;
};

constexpr std::array kUnits = {Unit{"ns", 1.0}, Unit{"us", 1e3}, Unit{"ms", 1e6}, Unit{"s", 1e9}};

// 999.6 us reads "1.00 ms", not "1000 us": the unit is chosen by the rounded value.
const Unit& unit_for(double ns) {
  const double size = std::abs(ns);
  for (std::size_t i = 0; i + 1 < kUnits.size(); ++i) {
    if (size < 999.5 * kUnits[i].ns) return kUnits[i];
  }
  return kUnits.back();
}

int decimals_for(double value) {
  const double size = std::abs(value);
  if (size >= 99.95) return 0;
  return size >= 9.995 ? 1 : 2;
}

Error not_a_duration(std::string_view text) {
  return usage_error(
      fmt::format("'{}' is not a length of time; write it like 38.2ms, 1.2s or 900us", text));
}

}  // namespace

std::string format_duration(double ns) {
  const Unit& unit = unit_for(ns);
  const double value = ns / unit.ns;
  const int decimals = value == std::floor(value) && unit.ns == 1.0 ? 0 : decimals_for(value);
  return fmt::format("{:.{}f} {}", value, decimals, unit.name);
}

Result<std::int64_t> parse_duration(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc{} || !std::isfinite(value)) return not_a_duration(text);
  std::string_view suffix(parsed.ptr, static_cast<std::size_t>(end - parsed.ptr));
  while (suffix.starts_with(' ')) suffix.remove_prefix(1);
  for (const Unit& unit : kUnits) {
    const double ns = value * unit.ns;
    if (suffix == unit.name && ns >= 1 && ns < 9e18) return std::llround(ns);
  }
  return not_a_duration(text);
}

}  // namespace stepscope
