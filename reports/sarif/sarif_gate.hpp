// SPDX-License-Identifier: Apache-2.0
// A gate's verdict as SARIF 2.1.0, for code scanning: a regression is a result at the line of its
// largest cause.
//
// A result needs a line to be shown at. What has none (a regression whose cause has no line, an
// inconclusive metric, runs that cannot be compared) is a notification of the tool's run instead.
#pragma once

#include <string>
#include <string_view>

#include "core/gate/verdict.hpp"

namespace stepscope {

// `root`: the repository's folder, which paths are made relative to.
std::string sarif_gate(const GateVerdict& verdict, std::string_view root = "");

}  // namespace stepscope
