// SPDX-License-Identifier: Apache-2.0
#include "viewer/app/app.hpp"

#include "viewer/view/tables/table.hpp"

namespace stepscope::viewer {

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
