// SPDX-License-Identifier: Apache-2.0
// Fixes as users write them, and back:
//   KIND[@FILE:LINE | @phase=NAME | @cause=NAME]...[:factor=F][:low=F][:high=F][:every=N]
// "remove_sync@train.py:88", "scale_work@cause=gpu.gemm:factor=0.5",
// "less_often@phase=eval:every=10". FILE may be the last parts of a path, NAME of a phase its path
// ("train/eval") or last part.
#pragma once

#include <string>
#include <string_view>

#include "core/attribution/attribution.hpp"
#include "core/model/trace.hpp"
#include "core/simulate/fix.hpp"
#include "core/support/result.hpp"

namespace stepscope {

// Errors: usage, naming what is wrong and what there is instead.
Result<Fix> parse_fix(std::string_view text, const Trace& trace, const Attribution& attribution);

// What parse_fix reads; of several lines or phases all are named.
std::string text_of(const Fix& fix, const Trace& trace, const Attribution& attribution);

std::string phase_path(const std::vector<Phase>& phases, PhaseId phase);  // "train/eval"

}  // namespace stepscope
