// SPDX-License-Identifier: Apache-2.0
// A gate's verdict as GitHub's Markdown, for a job summary or a pull request's comment: below 64
// KB, the limit of a comment, far below that of a job summary (1 MiB, above which it is dropped
// whole).
#pragma once

#include <string>

#include "core/gate/verdict.hpp"

namespace stepscope {

std::string markdown_gate(const GateVerdict& verdict);

}  // namespace stepscope
