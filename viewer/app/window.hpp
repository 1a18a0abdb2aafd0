// SPDX-License-Identifier: Apache-2.0
// The real window: GLFW and OpenGL 3.3. It is drawn when there is input, not sixty times a second.
#pragma once

#include "viewer/app/app.hpp"
#include "viewer/view/desk.hpp"

namespace stepscope::viewer {

Status run_window(Desk& desk, const ViewOptions& options);

}  // namespace stepscope::viewer
