// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/polychromic/fixes.hpp"

#include <array>

namespace stepscope::polychromic {
namespace {

using Fix = trainers::Switch<Fixes>;

constexpr std::array kFixes{
    Fix{"R0", "baseline",
        "each reply is generated alone, with a prompt pass and a growing cache of its own, and "
        "encoded alone; cosines of all pairs, read on the host; attention written out",
        nullptr},
    Fix{"R1", "batched_generation",
        "all replies of a step in one batch, with one pass over each prompt and a cache of fixed "
        "size",
        &Fixes::batched_generation},
    Fix{"R2", "decode_graph", "on a GPU a token's pass is recorded once and launched as one graph",
        &Fixes::decode_graph, &Fixes::batched_generation},
    Fix{"R3", "flash_attention", "attention in one kernel", &Fixes::flash_attention},
    Fix{"R4", "batched_encoding", "all replies of a step are encoded in one batch",
        &Fixes::batched_encoding},
    Fix{"R5", "pairwise_cosine",
        "the distances of all sets in one kernel, without pairs; nothing is read",
        &Fixes::pairwise_cosine},
    Fix{"R6", "fused_pass",
        "on a GPU in bfloat16 a token's pass is five kernels a layer, whose weights are on their "
        "way while the kernel before still works",
        &Fixes::fused_pass, &Fixes::batched_generation},
};

}  // namespace

const trainers::Switches<Fixes>& all_fixes() {
  static constexpr trainers::Switches<Fixes> kAll("fix", kFixes);
  return kAll;
}

Fixes every_fix() {
  return *all_fixes().up_to("R6");
}

}  // namespace stepscope::polychromic
