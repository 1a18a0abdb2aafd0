// SPDX-License-Identifier: Apache-2.0
// Draws without a display: OpenGL 3.3 by EGL on a surface of its own, in software where there is no
// GPU. libEGL is loaded when it is asked for, so that nothing else of stepscope needs it.
#pragma once

#include <functional>

#include "viewer/app/image.hpp"

namespace stepscope::viewer {

// Draws `frames` frames (ImGui settles sizes over the first) and reads back the last. An ImGui
// context must be there.
Result<Image> draw_offscreen(int width, int height, int frames, const std::function<void()>& draw);

}  // namespace stepscope::viewer
