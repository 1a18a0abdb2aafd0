// SPDX-License-Identifier: Apache-2.0
// The causes that own wall time, and what is said of each: causes.def is the table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

namespace stepscope {

// What the device does while a cause owns the time.
enum class CauseState : std::uint8_t {
  busy,
  issued,  // idle although work was issued
  host,    // idle, or there is none: the host decides
  nobody,  // the profiler, or no evidence
};

// Pictures and the terminal show a family in one colour.
enum class CauseFamily : std::uint8_t {
  device_compute,
  communication,
  copy,
  issued,
  host_compute,
  host,
  profiler,
  unexplained,  // the unknown budget: what no evidence explains
};

inline constexpr std::array kCauseFamilies = {
    CauseFamily::device_compute, CauseFamily::communication, CauseFamily::copy,
    CauseFamily::issued,         CauseFamily::host_compute,  CauseFamily::host,
    CauseFamily::profiler,       CauseFamily::unexplained};

enum class Cause : std::uint8_t {
#define CAUSE(name, ...) name,
#include "core/attribution/causes.def"
#undef CAUSE
};

struct CauseTraits {  // causes.def says what each member means
  std::string_view id;
  CauseState state;
  CauseFamily family;
  bool hidden_by_lead;
  std::uint32_t hue;  // 0xRRGGBB
  std::string_view meaning;
};

inline constexpr CauseTraits kCauses[] = {
#define CAUSE(name, id, state, family, ...) \
  {id, CauseState::state, CauseFamily::family, __VA_ARGS__},
#include "core/attribution/causes.def"
#undef CAUSE
};

inline constexpr std::size_t kCauseCount = std::size(kCauses);

template <class T>
using PerCause = std::array<T, kCauseCount>;

constexpr std::size_t index_of(Cause cause) {
  return static_cast<std::size_t>(cause);
}

constexpr const CauseTraits& traits_of(Cause cause) {
  return kCauses[index_of(cause)];
}
constexpr std::string_view name_of(Cause cause) {  // "gpu.gemm", "host.sync_return", ...
  return traits_of(cause).id;
}
constexpr std::string_view meaning_of(Cause cause) {  // "matrix products"
  return traits_of(cause).meaning;
}
constexpr CauseFamily family_of(Cause cause) {
  return traits_of(cause).family;
}
std::optional<Cause> cause_named(std::string_view name);

// True for causes that own time in which a device op runs: their sum is the busy union.
constexpr bool is_device_busy(Cause cause) {
  return traits_of(cause).state == CauseState::busy;
}
constexpr bool is_host(Cause cause) {
  return traits_of(cause).state == CauseState::host;
}
constexpr bool is_device_compute(Cause cause) {
  return family_of(cause) == CauseFamily::device_compute;
}
constexpr bool is_host_compute(Cause cause) {
  return family_of(cause) == CauseFamily::host_compute;
}
constexpr bool is_unexplained(Cause cause) {
  return family_of(cause) == CauseFamily::unexplained;
}
// True where the device idles and no work had been issued.
constexpr bool waits_for_host(Cause cause) {
  return !is_device_busy(cause) && traits_of(cause).state != CauseState::issued;
}
constexpr bool is_hidden_by_lead(Cause cause) {
  return traits_of(cause).hidden_by_lead;
}

std::string_view name_of(CauseFamily family);     // "host": an id, also a class of CSS
std::string_view meaning_of(CauseFamily family);  // "the device waits for the host"

}  // namespace stepscope
