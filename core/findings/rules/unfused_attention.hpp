// SPDX-License-Identifier: Apache-2.0
// unfused_attention: attention as a matrix product, a softmax and another product, with the scores
// of all pairs written to memory and read again between them.
//
//   fires where   time(groups) + idle >= 5 % of the device's compute time, and ceiling >= least
//   a group       in stream order: a matrix kernel, at most 12 others, a softmax (no log-softmax),
//                 at most 12 others, a matrix kernel; what lies between is part of it, selects
//                 nothing, and takes a tenth of the group or more; backward passes of softmax
//                 likewise
//   idle          the device waits for the launch of a group's second or later kernel
//   ceiling       two thirds of the time: a fused kernel takes about a third (an assumption); and
//                 idle: it is one launch
#pragma once

#include "core/findings/price.hpp"

namespace stepscope::rules {

void judge_unfused_attention(JudgedRun& run, Findings& out);

}  // namespace stepscope::rules
