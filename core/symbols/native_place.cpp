// SPDX-License-Identifier: Apache-2.0
#include "core/symbols/native_place.hpp"

#include <charconv>
#include <optional>

namespace stepscope {
namespace {

constexpr std::string_view kPrefix = "native:";
constexpr std::string_view kOffset = "+0x";

std::optional<NativePlace> place_of(std::string_view text) {
  const std::size_t plus = text.rfind(kOffset);
  if (plus == std::string_view::npos || plus == 0) return {};
  const std::string_view digits = text.substr(plus + kOffset.size());
  NativePlace place{std::string(text.substr(0, plus)), 0};
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), place.address, 16);
  if (error != std::errc() || end != digits.data() + digits.size()) return {};
  return place;
}

}  // namespace

std::vector<NativePlace> native_places(std::string_view function) {
  std::vector<NativePlace> out;
  if (!function.starts_with(kPrefix)) return out;
  for (std::string_view rest = function.substr(kPrefix.size()); !rest.empty();) {
    // A path may hold a semicolon: a place ends at one that follows an address.
    const std::size_t plus = rest.find(kOffset);
    const std::size_t end = plus == std::string_view::npos ? plus : rest.find(';', plus);
    if (std::optional<NativePlace> place = place_of(rest.substr(0, end))) out.push_back(*place);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
  return out;
}

}  // namespace stepscope
