// SPDX-License-Identifier: Apache-2.0
// Lengths of time as people write them: "38.2 ms", "900 us", "1.5 s". Counts and amounts in sentences.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "core/support/result.hpp"

namespace stepscope {

// Three significant digits in the unit that suits: "850 ns", "38.2 ms", "1.23 s".
std::string format_duration(double ns);

// "38.2ms", "1.2 s", "900us", "50ns"; a unit is required. Error: usage.
Result<std::int64_t> parse_duration(std::string_view text);

// How often something happens, as a sentence says it: "0.25", "12.3", "8070". Three digits below a thousand.
inline std::string count_text(double count) {
  return count < 999.5 ? fmt::format("{:.3g}", count) : fmt::format("{:.0f}", count);
}

// How much a sentence says was copied, in decimal units. Three digits: "0.016 MB", "37.7 MB", "1.04 GB".
inline std::string megabytes_text(double bytes) {
  return bytes < 999.5e6 ? fmt::format("{:.3g} MB", bytes / 1e6)
                         : fmt::format("{:.3g} GB", bytes / 1e9);
}

}  // namespace stepscope
