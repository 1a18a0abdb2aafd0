// SPDX-License-Identifier: Apache-2.0
// Families of causes: what a picture shows in one colour. Their ids name colours and patterns of
// pages and pictures.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/attribution/cause.hpp"

namespace stepscope {

enum class CauseFamily : std::uint8_t {
  device_compute,
  communication,
  copy,
  issued,  // the device is idle although work was issued
  host_compute,
  host,
  profiler,
  unexplained,
};

inline constexpr std::array kCauseFamilies = {
    CauseFamily::device_compute, CauseFamily::communication, CauseFamily::copy,
    CauseFamily::issued,         CauseFamily::host_compute,  CauseFamily::host,
    CauseFamily::profiler,       CauseFamily::unexplained};

CauseFamily family_of(Cause cause);
std::string_view name_of(CauseFamily family);     // "host": an id, also a class of CSS
std::string_view meaning_of(CauseFamily family);  // "the device waits for the host"

}  // namespace stepscope
