// SPDX-License-Identifier: Apache-2.0
// A gate's verdict for a GitHub Actions step: annotations as workflow commands on stdout.
#pragma once

#include <string>
#include <string_view>

#include "core/gate/verdict.hpp"

namespace stepscope {

std::string github_annotations(const GateVerdict& verdict, std::string_view root = "");

}  // namespace stepscope
