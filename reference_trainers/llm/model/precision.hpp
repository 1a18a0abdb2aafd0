// SPDX-License-Identifier: Apache-2.0
// What the rungs set in LibTorch for the whole process, and autocast for a scope.
#pragma once

#include <c10/core/Device.h>

#include "reference_trainers/llm/rungs.hpp"

namespace stepscope::llm {

// TF32 and which attention LibTorch may take: with sdpa its flash attention, with cudnn_attention
// cuDNN's alone; where that cannot be taken the call throws and says so.
// With masks (documents kept apart) it takes any that has them.
void apply_to_process(const Rungs& rungs, at::Device device, bool masks = false);

// bfloat16 autocast while it lives; weights that it cast are forgotten at its end, because the next
// step has others. Nothing where it is not wanted.
class Autocast {
 public:
  Autocast(bool wanted, at::Device device);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  const bool on_;
  const c10::DeviceType type_;
};

}  // namespace stepscope::llm
