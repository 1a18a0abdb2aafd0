// SPDX-License-Identifier: Apache-2.0
// A report's findings for a GitHub Actions step: annotations as workflow commands on stdout. Level:
// high is error, medium warning, info notice. An annotation fails no step: the exit code does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/summary/summary.hpp"

namespace stepscope {

// `root`: the repository's folder, which paths are made relative to.
std::string github_findings(const std::vector<Summary>& summaries, std::string_view root = "");

}  // namespace stepscope
