// SPDX-License-Identifier: Apache-2.0
// Pixels, and a PNG file of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/support/result.hpp"

namespace stepscope::viewer {

struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;  // rows from the top, three bytes a pixel
};

Status write_png(const Image& image, const std::string& path);
Result<Image> read_png(const std::string& path);

}  // namespace stepscope::viewer
