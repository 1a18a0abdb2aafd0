// SPDX-License-Identifier: Apache-2.0
#include "reports/wording/numbers.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace stepscope {
namespace {

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

}  // namespace stepscope
