// SPDX-License-Identifier: Apache-2.0
// The sections of a report's page, in the order in which they stand. Internal to reports/html.
#pragma once

#include <string>
#include <string_view>

#include "core/report/report.hpp"
#include "reports/html/html_pages.hpp"
#include "reports/markup/markup.hpp"

namespace stepscope::html {

struct Report : report::Report {
  HtmlOptions options;
  std::string prefix;  // prefix of ids: several reports may share a page
  std::string id(std::string_view name) const { return prefix + std::string(name); }
};

// Each returns a whole section, or nothing where it has nothing to say.
Markup broken(const Report& report);  // before any number
Markup verdict(const Report& report);
Markup steps(const Report& report);
Markup findings(const Report& report);
Markup health(const Report& report);
Markup trust(const Report& report);
Markup table_section(const Report& report, const report::Table& table);
Markup line_list(const Report& report, const report::Table& table);

}  // namespace stepscope::html
