// SPDX-License-Identifier: Apache-2.0
// Numbers as tables show them: one unit and one precision a column, "<0.01" for what would read as
// 0.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/attribution/cause.hpp"
#include "core/attribution/direction.hpp"

namespace stepscope {

// The unit of a report's time columns, chosen by its step time.
struct TimeUnit {
  std::string_view name;
  double ns = 1;
  int decimals = 2;
};

TimeUnit unit_for_step(double wall_ns);
std::string format_time(double ns, const TimeUnit& unit);
std::string format_share(double share);            // "12.3 %"
std::string format_count(double count);            // "1,234", "0.25"
std::string format_exact(std::int64_t count);      // "-1,234,567": every digit
std::string format_bytes(double bytes);            // "4.19 MB"
std::string format_rate(double bytes_per_second);  // in GB/s: "11.3"

// The same text with no-break spaces (U+00A0) where a line must not end: between a number and its
// unit, and before an arrow.
std::string unbroken(std::string_view text);
// The other way round, once the lines are made.
std::string with_blanks(std::string text);

// Names for people: what a cause means in a few words, and a kernel's name without the namespaces
// and parameter lists of its C++ signature.

// " backward", to stand behind a line; empty where the line has no direction.
std::string direction_text(Direction direction);
std::string short_kernel_name(std::string_view name);

// "…" in place of what is longer than `most` code points.
std::string shortened(std::string_view name, std::size_t most);

}  // namespace stepscope
