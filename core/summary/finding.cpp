// SPDX-License-Identifier: Apache-2.0
#include "core/summary/finding.hpp"

#include <array>

namespace stepscope {
namespace {

constexpr std::array<std::string_view, 3> kSeverityNames = {"info", "medium", "high"};
constexpr std::array<std::string_view, 3> kCertaintyNames = {"trace_verified", "inferred",
                                                             "assumption"};

template <class Value, std::size_t N>
std::optional<Value> value_named(const std::array<std::string_view, N>& names,
                                 std::string_view name) {
  for (std::size_t i = 0; i < N; ++i)
    if (names[i] == name) return static_cast<Value>(i);
  return std::nullopt;
}

}  // namespace

std::string_view name_of(Severity severity) {
  return kSeverityNames[static_cast<std::size_t>(severity)];
}
Severity severity_of(double share) {
  if (share >= 0.05) return Severity::high;
  return share >= 0.03 ? Severity::medium : Severity::info;
}
std::string_view name_of(Certainty certainty) {
  return kCertaintyNames[static_cast<std::size_t>(certainty)];
}
std::optional<Severity> severity_named(std::string_view name) {
  return value_named<Severity>(kSeverityNames, name);
}

}  // namespace stepscope
