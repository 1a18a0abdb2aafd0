// SPDX-License-Identifier: Apache-2.0
// A gate's verdict for a GitHub Actions step: annotations as workflow commands on stdout.
//
// GitHub shows 10 errors and 10 warnings of a step and drops the rest without a word, so the tenth
// says how many more there are. In a message '%', CR and LF are escaped; in a property also ':' and
// ','.
#pragma once

#include <string>
#include <string_view>

#include "core/gate/verdict.hpp"

namespace stepscope {

std::string github_annotations(const GateVerdict& verdict, std::string_view root = "");

}  // namespace stepscope
