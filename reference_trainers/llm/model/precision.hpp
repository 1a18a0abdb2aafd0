// SPDX-License-Identifier: Apache-2.0
// What the rungs set in LibTorch for the whole process.
#pragma once

#include <c10/core/Device.h>

#include "reference_trainers/llm/rungs.hpp"

namespace stepscope::llm {

// TF32 and which attention LibTorch may take: with sdpa its flash attention, with cudnn_attention
// cuDNN's alone; where that cannot be taken the call throws and says so.
// With masks (documents kept apart) it takes any that has them.
void apply_to_process(const Rungs& rungs, at::Device device, bool masks = false);

}  // namespace stepscope::llm
