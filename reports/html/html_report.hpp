// SPDX-License-Identifier: Apache-2.0
// The report as one page that needs nothing beside it: opened from a file, sent by mail, kept by a
// CI. Its numbers and sentences are those of the text report; every total stands in it to the
// nanosecond.
#pragma once

#include <string>
#include <vector>

#include "core/summary/summary.hpp"

namespace stepscope {

struct HtmlOptions {
  bool with_source = true;  // lines of source files that are at hand
};

std::string html_report(const std::vector<Summary>& summaries, const HtmlOptions& options = {});

}  // namespace stepscope
