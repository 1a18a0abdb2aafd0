// SPDX-License-Identifier: Apache-2.0
// How much a sentence says was copied, in decimal units.
#pragma once

#include <fmt/format.h>

#include <string>

namespace stepscope {

// Three digits: "0.016 MB", "37.7 MB", "1.04 GB".
inline std::string megabytes_text(double bytes) {
  return bytes < 999.5e6 ? fmt::format("{:.3g} MB", bytes / 1e6)
                         : fmt::format("{:.3g} GB", bytes / 1e9);
}

}  // namespace stepscope
