// SPDX-License-Identifier: Apache-2.0
#include "viewer/app/app.hpp"

#include <algorithm>

#include "core/support/duration.hpp"
#include "viewer/app/window.hpp"
#include "viewer/ui/screen.hpp"
#include "viewer/view/desk.hpp"
#include "viewer/view/tables/table.hpp"

namespace stepscope::viewer {
namespace {

constexpr int kSettlingFrames = 4;
constexpr const char* kFindingsTab = "What to do";

Status take_picture(Desk& desk, const ViewOptions& options) {
  const auto scale = static_cast<float>(
      options.scale.value_or(std::max(1.0, static_cast<double>(options.height) / 1080)));
  const Gui gui(scale);
  apply_view_options(desk, options);
  Screen screen(desk, scale);
  screen.tab = options.tab;
  screen.search = options.search;
  if (options.tab == kFindingsTab) desk.show_finding(0);
  screen.theme = make_theme(desk.light);
  apply_style(screen.theme, scale);
  const auto image = draw_offscreen(options.width, options.height, kSettlingFrames, [&] {
    draw(screen, {static_cast<float>(options.width), static_cast<float>(options.height)});
  });
  return image ? write_png(*image, options.screenshot) : Status(image.error());
}

Status open_window(Desk& desk, const Desk::Runs& runs, const ViewOptions& options) {
  const std::string folder = options.keep_state ? state_folder() : "";
  load_saved(desk, folder);
  apply_view_options(desk, options);
  Status shown = run_window(desk, runs, options, folder);
  save(desk, folder);
  return shown;
}

}  // namespace

Status show(const Desk::Runs& runs, const ViewOptions& options) {
  Desk desk(runs, {.anyway = options.anyway});
  if (runs.front()->is_analysed) {
    if (Status known = check_tab(desk, options.tab); !known) return known;
  }
  if (Status inside = check_range(*runs.front(), options); !inside) return inside;
  return options.screenshot.empty() ? open_window(desk, runs, options)
                                    : take_picture(desk, options);
}

// A light theme from the command line holds for this run of the viewer only; settings store the dark one.
void apply_view_options(Desk& desk, const ViewOptions& options) {
  desk.light |= options.light;
  desk.open();
  if (options.range) {
    Session& session = desk.active();
    const std::int64_t begin = session.run().trace.begin();
    session.viewport().fit({begin + options.range->begin, begin + options.range->end}, 0);
  }
  apply_search(desk, options);
  desk.follow();
}

void apply_search(Desk& desk, const ViewOptions& options) {
  if (options.search.empty()) return;
  for (std::size_t i = 0; i < desk.sides(); ++i) desk.side(i).search(options.search);
  for (const KernelRow& row : desk.active().run().summary.kernels) {
    if (row.name.find(options.search) == std::string::npos) continue;
    desk.choose_kernel(row.name);
    break;
  }
}

Status check_range(const Run& run, const ViewOptions& options) {
  const std::int64_t length = run.trace.end() - run.trace.begin();
  if (!options.range || options.range->begin < length) return Done{};
  return usage_error("--range: it begins behind the end of the trace, which is " +
                     format_duration(static_cast<double>(length)) + " long");
}

Status check_tab(const Desk& desk, const std::string& tab) {
  if (tab.empty()) return Done{};
  std::string titles;
  for (const Table& table : tables_of(desk)) {
    if (table.title == tab) return Done{};
    titles += (titles.empty() ? "'" : ", '") + table.title + "'";
  }
  return usage_error("--tab '" + tab + "': there is no such table; here are " + titles);
}

}  // namespace stepscope::viewer
