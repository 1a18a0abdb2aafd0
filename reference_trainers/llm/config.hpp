// SPDX-License-Identifier: Apache-2.0
// Sizes of the model and settings of one run.
//
// MFU is tokens/s * (6 N + 6 L d T) / peak: N counts the output matrix once, attention is causal
// (the convention of llm.c). The convention of PaLM and nanoGPT, 12 L d T, reads 5 to 15 % higher.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/support/result.hpp"
#include "reference_trainers/common/device.hpp"
#include "reference_trainers/common/slow_rank.hpp"
#include "reference_trainers/llm/data/token_stream.hpp"
#include "reference_trainers/llm/rungs.hpp"

namespace stepscope::llm {

// A decoder with grouped-query attention, QK-norm, RoPE, SwiGLU, RMSNorm, and one matrix for
// embedding and output.
struct Shape {
  std::int64_t layers = 2;
  std::int64_t d_model = 96;
  std::int64_t heads = 6;
  std::int64_t kv_heads = 2;
  std::int64_t hidden = 256;  // width of the feed-forward part
  std::int64_t vocabulary = 512;

  std::int64_t head_size() const { return d_model / heads; }
  std::int64_t kv_size() const { return kv_heads * head_size(); }
  std::int64_t parameters() const;
};

struct Preset {
  const char* name;
  const char* summary;
  Shape shape;
  std::int64_t sequence, micro_batch, accumulate;
  double learning_rate;
};

std::span<const Preset> all_presets();
const Preset* find_preset(std::string_view name);

// How the rung fp8 makes 8 bits of a tensor. Delayed: by the greatest magnitude of the last 16
// steps; current: by that of the tensor's own numbers, which a pass of its own measures. E5M2 has
// more range than E4M3 and fewer digits.
enum class Fp8Scaling { delayed, current };
// Fast sums keep fewer digits on a GPU; products of the forward pass always do.
enum class Fp8Gradients { e5m2, e4m3 };
enum class Fp8Sums { full, fast };
struct Fp8Settings {
  Fp8Scaling scaling = Fp8Scaling::delayed;
  Fp8Gradients gradients = Fp8Gradients::e5m2;
  Fp8Sums gradient_sums = Fp8Sums::full;
};

struct Config {
  std::string preset = "tiny";
  Shape shape;
  Rungs rungs;
  Fp8Settings fp8;

  std::int64_t sequence = 64;    // tokens T
  std::int64_t micro_batch = 8;  // sequences in memory at once
  std::int64_t accumulate = 1;   // micro-batches a step, of each rank
  std::int64_t steps = 100;
  std::int64_t warm_up = 3;     // first steps that the rate leaves out
  std::int64_t log_every = 10;  // steps; 0: the first and the last

  double learning_rate = 3e-3;   // at its highest
  std::int64_t lr_warm_up = 10;  // steps in which it rises; then it falls as a cosine
  std::int64_t lr_steps = 0;     // to a tenth of it; 0: `steps`
  double weight_decay = 0.1;     // only matrices decay
  double clip = 1;               // greatest norm of all gradients together

  std::string data;        // folder or file of token shards; empty: a made corpus
  std::string write_data;  // folder to write the made corpus to, in place of training
  std::int64_t corpus_tokens = 1 << 20;
  DocumentRule documents;

  std::string log;                    // file of a line a step; empty: none
  std::string checkpoint;             // file to write; empty: none
  std::int64_t checkpoint_every = 0;  // steps; 0: at the end only
  std::string resume;                 // file to go on from

  int nproc = 1;                // ranks to start on this machine
  int rank_timeout_s = 120;     // how long ranks wait for one that does not come to a call
  bool zero = false;            // ZeRO-1: ranks share the optimizer's state
  std::int64_t bucket_mb = 25;  // size of gradients that are summed over the ranks in one call
  // This process's rank and the number of ranks, as the launcher gives them; each rank takes
  // micro-batches of its own.
  int rank = 0, ranks = 1;

  double peak_tflops = 989;  // a GPU's peak, for MFU: an H100's bfloat16 without sparsity
  std::uint64_t seed = 0;
  int threads = 1;  // LibTorch's on the CPU: 1 repeats to the bit; 0: its own choice
  trainers::DeviceWish device = trainers::DeviceWish::automatic;
  trainers::SlowRank slow;  // planted on purpose

  std::int64_t micro_batches_a_step() const { return accumulate * ranks; }  // over all ranks
  std::int64_t sequences_a_step() const { return micro_batch * micro_batches_a_step(); }
  std::int64_t tokens_a_step() const { return sequence * sequences_a_step(); }
  double flops_a_token() const;
  // Memory that a step of one rank takes whatever the rungs save: the weights' state, the logits,
  // and the scores where attention is written out.
  double least_bytes() const;
  std::int64_t schedule_steps() const { return lr_steps > 0 ? lr_steps : steps; }
};

// Takes over the preset's sizes.
void use_preset(Config& config, const Preset& preset);

// Returns the learning rate of step `index`, from 0.
double learning_rate_of(const Config& config, std::int64_t index);

// Whether a line is printed behind the step of that index.
bool logs(const Config& config, std::int64_t index);

// Values that do not fit each other.
Status check(const Config& config);

}  // namespace stepscope::llm
