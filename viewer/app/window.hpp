// SPDX-License-Identifier: Apache-2.0
// The real window: GLFW and OpenGL 3.3. It is drawn when there is input, not sixty times a second.
#pragma once

#include "viewer/app/app.hpp"
#include "viewer/view/desk.hpp"

namespace stepscope::viewer {

// `runs` are the desk's; glances among them are analysed while they are shown, and the desk becomes
// one of the analysed runs, with what was saved of them in the folder.
Status run_window(Desk& desk, const Desk::Runs& runs, const ViewOptions& options,
                  const std::string& state_folder);

}  // namespace stepscope::viewer
