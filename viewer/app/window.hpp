// SPDX-License-Identifier: Apache-2.0
// The real window: GLFW and OpenGL 3.3. It is drawn when there is input, not sixty times a second.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/support/result.hpp"
#include "viewer/app/app.hpp"
#include "viewer/view/desk.hpp"

namespace stepscope::viewer {

// `runs` are the desk's; glances among them are analysed while they are shown, and the desk becomes
// one of the analysed runs, with what was saved of them in the folder.
Status run_window(Desk& desk, const Desk::Runs& runs, const ViewOptions& options,
                  const std::string& state_folder);

// An ImGui context with our font, for as long as it lives.

class Gui {
 public:
  explicit Gui(float scale);  // font size and paddings
  ~Gui();
  Gui(const Gui&) = delete;
  Gui& operator=(const Gui&) = delete;

  // Between frames: the font in another size. Its texture is the backend's to make anew.
  void set_scale(float scale);
};

// Pixels, and a PNG file of them.

struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;  // rows from the top, three bytes a pixel
};

Status write_png(const Image& image, const std::string& path);
Result<Image> read_png(const std::string& path);

// Draws without a display: OpenGL 3.3 by EGL on a surface of its own, in software where there is no
// GPU. libEGL is loaded when it is asked for, so that nothing else of stepscope needs it.

// Draws `frames` frames (ImGui settles sizes over the first) and reads back the last. An ImGui
// context must be there.
Result<Image> draw_offscreen(int width, int height, int frames, const std::function<void()>& draw);

}  // namespace stepscope::viewer
