// SPDX-License-Identifier: Apache-2.0
// Results as annotations of a GitHub Actions step.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/gate/verdict.hpp"
#include "core/summary/summary.hpp"

namespace stepscope {

// A report's findings for a GitHub Actions step: annotations as workflow commands on stdout. Level:
// high is error, medium warning, info notice. An annotation fails no step: the exit code does.
// `root`: the repository's folder, which paths are made relative to.
std::string github_findings(const std::vector<Summary>& summaries, std::string_view root = "");

// A gate's verdict for a GitHub Actions step: annotations as workflow commands on stdout.
std::string github_annotations(const GateVerdict& verdict, std::string_view root = "");

}  // namespace stepscope
