// SPDX-License-Identifier: Apache-2.0
#include "viewer/app/app.hpp"

#include <algorithm>

#include "viewer/app/gui.hpp"
#include "viewer/app/offscreen.hpp"
#include "viewer/app/window.hpp"
#include "viewer/ui/screen.hpp"

namespace stepscope::viewer {
namespace {

constexpr int kSettlingFrames = 3;

void set_up(Session& session, const ViewOptions& options) {
  session.light = options.light;
  session.open();
  if (!options.range) return;
  const std::int64_t begin = session.run().trace.begin();
  session.viewport().fit({begin + options.range->begin, begin + options.range->end}, 0);
}

Status take_picture(const Run& run, const ViewOptions& options) {
  const auto scale = static_cast<float>(
      options.scale.value_or(std::max(1.0, static_cast<double>(options.height) / 1080)));
  const Gui gui(scale);
  Session session(run);
  set_up(session, options);
  Screen screen(session, scale);
  screen.theme = make_theme(session.light);
  apply_style(screen.theme, scale);
  const auto image = draw_offscreen(options.width, options.height, kSettlingFrames, [&] {
    draw(screen, {static_cast<float>(options.width), static_cast<float>(options.height)});
  });
  return image ? write_png(*image, options.screenshot) : Status(image.error());
}

Status open_window(const Run& run, const ViewOptions& options) {
  Session session(run);
  set_up(session, options);
  return run_window(session, options);
}

}  // namespace

Status show(const Run& run, const ViewOptions& options) {
  return options.screenshot.empty() ? open_window(run, options) : take_picture(run, options);
}

}  // namespace stepscope::viewer
