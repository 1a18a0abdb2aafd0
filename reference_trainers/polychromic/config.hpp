// SPDX-License-Identifier: Apache-2.0
// Sizes of the models and settings of one run.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/support/result.hpp"
#include "reference_trainers/common/program/rank_run.hpp"
#include "reference_trainers/polychromic/fixes.hpp"

namespace stepscope::polychromic {

// A pre-norm transformer: layers of attention and a feed-forward part four times as wide.
struct Shape {
  std::int64_t layers = 2;
  std::int64_t d_model = 32;
  std::int64_t heads = 2;
};

// Tokens of a sequence: a prompt, and the reply behind it.
struct Lengths {
  std::int64_t prompt = 8, reply = 12;

  std::int64_t sequence() const { return prompt + reply; }
};

struct Preset {
  const char* name;
  const char* summary;
  Shape decoder, encoder;
  std::int64_t vocabulary;
  Lengths lengths;
  std::int64_t prompts, replies, batch, sequences;
  bool bf16;
  double learning_rate;
};

std::span<const Preset> all_presets();

struct Config {
  std::string preset = "tiny";
  Shape decoder, encoder;
  std::int64_t vocabulary = 64;
  Lengths lengths;
  Fixes fixes;

  std::int64_t prompts = 2;       // a step, each with a set of replies
  std::int64_t replies = 3;       // N: of a prompt
  std::int64_t batch = 16;        // sequences of the language model's loss, a step
  double diversity_weight = 0.1;  // weight of the score function in the loss
  std::int64_t steps = 120;
  std::int64_t warm_up = 3;     // first steps that the rates leave out
  std::int64_t log_every = 10;  // steps; 0: the first and the last
  double learning_rate = 3e-3;
  bool bf16 = false;  // products, and all of generation, in bfloat16; weights stay float32
  bool tf32 = false;  // whether a GPU's matrix products of float32 use TF32

  std::string data;              // file of sequences; empty: made ones
  std::string write_data;        // file to write the made ones to, in place of training
  std::int64_t sequences = 512;  // made ones

  trainers::Machine machine;
  std::uint64_t seed = 0;

  std::int64_t rows() const { return prompts * replies; }  // replies a step
  std::int64_t tokens_a_step() const { return batch * lengths.sequence() + rows() * lengths.reply; }
};

// Takes over the preset's sizes.
void use_preset(Config& config, const Preset& preset);

// Names values that do not fit each other.
Status check(const Config& config);

}  // namespace stepscope::polychromic
