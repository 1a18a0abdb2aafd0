// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/tree/fixes.hpp"

#include <array>

namespace stepscope::tree {
namespace {

using Fix = trainers::Switch<Fixes>;

constexpr std::array kFixes{
    Fix{"R0", "baseline",
        "the loss read each step, the causal mask made in every layer, one norm and one wait a "
        "parameter, evaluation in batches of 32, batches made by the loop itself",
        nullptr},
    Fix{"R1", "rare_sync", "losses are read where a line is printed", &Fixes::rare_sync},
    Fix{"R2", "cached_mask", "the causal mask is made once", &Fixes::cached_mask},
    Fix{"R3", "foreach_norms",
        "all norms in one call; nodes are chosen and their gradients masked on the device",
        &Fixes::foreach_norms},
    Fix{"R4", "prefetch", "a thread makes batches in pinned memory, copied beside the step",
        &Fixes::prefetch},
    Fix{"R5", "eval_batch", "evaluation in batches of 256, read once at its end",
        &Fixes::eval_batch},
    Fix{"R6", "recent_speed", "the log shows the speed since its last line, not the whole run's",
        &Fixes::recent_speed},
    Fix{"R7", "cudnn_benchmark", "cuDNN tries its convolutions out; there are none here",
        &Fixes::cudnn_benchmark},
    Fix{"R8", "mixed_precision", "matrix products in bfloat16 by autocast",
        &Fixes::mixed_precision},
    Fix{"R9", "flash_attention", "attention in one kernel, causal by a flag",
        &Fixes::flash_attention},
    Fix{"R10", "cuda_graph",
        "on a GPU the step of each path is recorded once and launched as one CUDA graph",
        &Fixes::cuda_graph, &Fixes::foreach_norms},
    Fix{"", "clipping",
        "gradients are scaled down to a norm of --clip, on the device: another training where it "
        "bites",
        &Fixes::clipping},
    Fix{"", "batch_256", "256 sequences a step: another training, compare its sequences/s",
        &Fixes::batch_256},
};

}  // namespace

const trainers::Switches<Fixes>& all_fixes() {
  static constexpr trainers::Switches<Fixes> kAll("fix", kFixes);
  return kAll;
}

Fixes every_fix() {
  return *all_fixes().up_to("R10");
}

}  // namespace stepscope::tree
