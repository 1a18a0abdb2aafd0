// SPDX-License-Identifier: Apache-2.0
#include "viewer/app/window.hpp"

#include <png.h>

#include <cstring>

namespace stepscope::viewer {

Status write_png(const Image& image, const std::string& path) {
  png_image png;
  std::memset(&png, 0, sizeof png);
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(image.width);
  png.height = static_cast<png_uint_32>(image.height);
  png.format = PNG_FORMAT_RGB;
  if (png_image_write_to_file(&png, path.c_str(), 0, image.rgb.data(), 0, nullptr) == 0)
    return io_error(path + ": cannot write the picture: " + png.message);
  return Done{};
}

Result<Image> read_png(const std::string& path) {
  png_image png;
  std::memset(&png, 0, sizeof png);
  png.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&png, path.c_str()) == 0)
    return io_error(path + ": cannot read the picture: " + png.message);
  png.format = PNG_FORMAT_RGB;
  Image image{static_cast<int>(png.width), static_cast<int>(png.height), {}};
  image.rgb.resize(PNG_IMAGE_SIZE(png));
  if (png_image_finish_read(&png, nullptr, image.rgb.data(), 0, nullptr) == 0)
    return io_error(path + ": cannot read the picture: " + png.message);
  return image;
}

}  // namespace stepscope::viewer
