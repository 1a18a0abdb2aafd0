// SPDX-License-Identifier: Apache-2.0
// Fixes as users write them; with "+" between them several that are made together:
//   KIND[@FILE:LINE | @phase=NAME | @cause=NAME | @direction=NAME]...
//   [:factor=F][:low=F][:high=F][:every=N][:workers=N]
// "remove_sync@train.py:88", "scale_work@cause=gpu.gemm:factor=0.5",
// "less_often@phase=eval:every=10". FILE may be the last parts of a path, NAME of a phase its path
// ("train/eval") or last part.
#pragma once

#include <string_view>
#include <vector>

#include "core/attribution/attribution.hpp"
#include "core/model/trace.hpp"
#include "core/simulate/fix.hpp"
#include "core/support/result.hpp"

namespace stepscope {

// Errors: usage, naming what is wrong and what there is instead.
Result<Fix> parse_fix(std::string_view text, const Trace& trace, const Attribution& attribution);
// "pin_memory@a.py:3+remove_sync@a.py:3"
Result<std::vector<Fix>> parse_fixes(std::string_view text, const Trace& trace,
                                     const Attribution& attribution);

}  // namespace stepscope
