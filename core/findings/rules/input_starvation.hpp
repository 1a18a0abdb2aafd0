// SPDX-License-Identifier: Apache-2.0
// input_starvation: the device idles while the loop makes its input, or waits for a loader that
// does.
//
//   fires where   idle >= 5 % of the step, or >= 3 % over 20 steps or more, and >= least
//   idle          host.data_wait, and host.wait_thread of the loop outside backward and optimizer;
//                 and host time between the call before an upload and the upload, in its phase
//                 (preparation.hpp), where the upload is no tiny one (tiny_h2d); without a device
//                 all time in PyTorch's own mark of a loader
//   workers       the forecast is of four, or twice as many as there are, but of no more that
//                 compute than there are cores beside the loop's
#pragma once

#include "core/findings/price.hpp"

namespace stepscope::rules {

void judge_input_starvation(JudgedRun& run, Findings& out);

}  // namespace stepscope::rules
