// SPDX-License-Identifier: Apache-2.0
// JSON numbers as text, turned into integers without passing through double.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace stepscope::kineto {

// 95 years: what lies further from the epoch is no time. The sum of a base, a begin and a duration
// stays within int64.
inline constexpr std::int64_t kLatestTime = 3'000'000'000'000'000'000;

// number * 10^shift, rounded half away from zero where digits remain; empty for anything that is no
// decimal number (NaN, Infinity, text) or does not fit int64.
std::optional<std::int64_t> scaled_integer(std::string_view number, int shift);

// Decimal microseconds to nanoseconds: exact for the three decimals that Kineto writes.
std::optional<std::int64_t> nanoseconds(std::string_view microseconds);

std::optional<std::int64_t> integer(std::string_view number);

// Parses a sampled value; empty for NaN, infinities and text.
std::optional<double> real(std::string_view number);

}  // namespace stepscope::kineto
