// SPDX-License-Identifier: Apache-2.0
// The one function that the module shows (viewer_module.hpp says why it is a module).
#include "viewer/app/app.hpp"

extern "C" __attribute__((visibility("default"))) bool stepscope_viewer_show(
    const stepscope::viewer::Desk::Runs* runs, const stepscope::viewer::ViewOptions* options,
    stepscope::Error* error) {
  const stepscope::Status shown = stepscope::viewer::show(*runs, *options);
  if (!shown) *error = shown.error();
  return shown.ok();
}
