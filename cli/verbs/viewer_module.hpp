// SPDX-License-Identifier: Apache-2.0
// The viewer is a module that is loaded when it is asked for: GLFW needs X11, and a machine that
// only records or reports may have none.
#pragma once

#include "viewer/app/app.hpp"

namespace stepscope {

// The module is there, and what it needs of this machine.
Status viewer_is_ready();
Status show_in_viewer(const viewer::Desk::Runs& runs, const viewer::ViewOptions& options);

}  // namespace stepscope
