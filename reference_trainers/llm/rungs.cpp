// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/rungs.hpp"

#include <array>

namespace stepscope::llm {
namespace {

constexpr std::array kRungs{
    Rung{"R0", "naive",
         "float32, attention written out with a mask, one matrix a projection, AdamW one parameter "
         "after the other, loss and gradient norm read each step",
         nullptr},
    Rung{"R1", "tf32", "matrix products of float32 on the tensor cores, factors of 10 bits",
         &Rungs::tf32},
    Rung{"R2", "bf16", "matrix products in bfloat16 by autocast, weights stay float32",
         &Rungs::bf16},
    Rung{"R3", "sdpa",
         "scaled_dot_product_attention with is_causal in place of a mask: on a GPU LibTorch's "
         "flash attention",
         &Rungs::sdpa},
    Rung{"R3b", "cudnn_attention", "on a GPU cuDNN's attention in place of LibTorch's",
         &Rungs::cudnn_attention, &Rungs::sdpa},
    Rung{"R4", "packed", "one matrix for query, key and value, one for gate and up",
         &Rungs::packed},
    Rung{"R5", "fused_adamw",
         "AdamW over all parameters in one call, gradients clipped on the device, losses read "
         "where a line is printed",
         &Rungs::fused_adamw},
    Rung{"R5b", "prefetch",
         "batches made by a thread of their own in pinned memory, copied beside the step",
         &Rungs::prefetch},
    Rung{"R6", "bf16_weights",
         "the model computes with weights, residual and gradients in bfloat16, AdamW with float32 "
         "masters: nothing is cast in the step",
         &Rungs::bf16_weights, &Rungs::bf16},
    Rung{"R6b", "fused_norm", "the residual's sum and RMSNorm in one kernel", &Rungs::fused_norm},
    Rung{"R6c", "fused_rope", "QK-norm and RoPE of the packed matrix in one kernel",
         &Rungs::fused_rope, &Rungs::packed},
    Rung{"R6d", "fused_swiglu", "SwiGLU of the packed matrix in one kernel", &Rungs::fused_swiglu,
         &Rungs::packed},
    Rung{"R6e", "fused_loss",
         "cross entropy and its gradient in one kernel, in the place of the logits",
         &Rungs::fused_loss},
    Rung{"R7", "cuda_graph",
         "on a GPU the whole step is recorded once and launched as one CUDA graph",
         &Rungs::cuda_graph, &Rungs::fused_adamw},
    Rung{"R8", "fp8",
         "the blocks' matrix products in 8 bits with a scale a tensor, the output matrix stays "
         "bfloat16",
         &Rungs::fp8, &Rungs::packed},
    Rung{"R8b", "fp8_head",
         "the output matrix's products in 8 bits, too, and cross entropy's gradient made as codes",
         &Rungs::fp8_head, &Rungs::fp8},
    Rung{"R10", "adamw_8bit",
         "AdamW's moments in 8 bits by blocks of 256: a quarter of their memory and more",
         &Rungs::adamw_8bit, &Rungs::fused_adamw},
    Rung{"R11", "recompute_ops",
         "norms and SwiGLU are computed again in the backward pass and not kept: less memory",
         &Rungs::recompute_ops, &Rungs::packed},
    Rung{"R11b", "recompute_blocks",
         "whole blocks are computed again in the backward pass: what is kept is one tensor a block",
         &Rungs::recompute_blocks},
};

}  // namespace

const trainers::Switches<Rungs>& ladder() {
  static constexpr trainers::Switches<Rungs> kLadder("rung", kRungs);
  return kLadder;
}

std::span<const Rung> all_rungs() {
  return kRungs;
}

Result<Rungs> rungs_up_to(std::string_view rung) {
  return ladder().up_to(rung);
}

Status switch_rungs(Rungs& rungs, const std::vector<std::string>& names, bool on) {
  return ladder().turn(rungs, names, on);
}

bool uses_kernels(const Rungs& rungs) {
  return rungs.fused_norm || rungs.fused_rope || rungs.fused_swiglu || rungs.fused_loss ||
         rungs.fp8;
}

std::vector<std::string> names_of(const Rungs& rungs) {
  return ladder().names_of(rungs);
}

std::string title_of(const Rungs& rungs) {
  return ladder().title_of(rungs);
}

}  // namespace stepscope::llm
