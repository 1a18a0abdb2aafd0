// SPDX-License-Identifier: Apache-2.0
// The ladder's rungs: each is one switch that changes how a step is computed and not what it
// computes, so that a rung's losses are R0's up to the rounding of its number type. A ladder
// switches them on in this order; any subset may be switched by name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.hpp"
#include "reference_trainers/common/switches.hpp"

namespace stepscope::llm {

struct Rungs {
  bool tf32 = false;
  bool bf16 = false;
  bool sdpa = false;
  bool cudnn_attention = false;
  bool packed = false;
  bool fused_adamw = false;
  bool prefetch = false;
  bool bf16_weights = false;
  bool fused_norm = false;
  bool fused_rope = false;
  bool fused_swiglu = false;
  bool fused_loss = false;
  bool cuda_graph = false;
  bool fp8 = false;
  bool fp8_head = false;
  bool adamw_8bit = false;
  bool recompute_ops = false;
  bool recompute_blocks = false;
};

using Rung = trainers::Switch<Rungs>;

const trainers::Switches<Rungs>& ladder();

// Returns the rungs in the order of the ladder, R0 first.
std::span<const Rung> all_rungs();

// All up to the one of that id or name. An Error lists those that there are.
Result<Rungs> rungs_up_to(std::string_view rung);

// Switches the named ones, on with what they need, off with what needs them.
Status switch_rungs(Rungs& rungs, const std::vector<std::string>& names, bool on);

// Whether a part runs on kernels/transformer where there is a GPU.
bool uses_kernels(const Rungs& rungs);

// Names of those that are on, in the order of the ladder.
std::vector<std::string> names_of(const Rungs& rungs);
// "R4" where exactly all up to R4 are on; else the names, with commas.
std::string title_of(const Rungs& rungs);

}  // namespace stepscope::llm
