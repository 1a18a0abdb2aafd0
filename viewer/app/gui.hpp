// SPDX-License-Identifier: Apache-2.0
// An ImGui context with our font, for as long as it lives.
#pragma once

namespace stepscope::viewer {

class Gui {
 public:
  explicit Gui(float scale);  // font size and paddings
  ~Gui();
  Gui(const Gui&) = delete;
  Gui& operator=(const Gui&) = delete;

  // Between frames: the font in another size. Its texture is the backend's to make anew.
  void set_scale(float scale);
};

}  // namespace stepscope::viewer
