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
};

}  // namespace stepscope::viewer
