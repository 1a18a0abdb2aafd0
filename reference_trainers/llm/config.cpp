// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

namespace stepscope::llm {
namespace {

constexpr std::array kPresets{
    Preset{"tiny", "0.2 M parameters, for a CPU", {2, 96, 6, 2, 256, 512}, 64, 8, 1, 3e-3},
    Preset{"t90m",
           "88 M parameters, heads of 128, 3 query heads a key head, T 2048",
           {10, 768, 6, 2, 2048, 32768},
           2048,
           8,
           4,
           6e-4},
    Preset{"t350m",
           "342 M parameters, heads of 128, T 2048",
           {24, 1024, 8, 8, 2816, 32768},
           2048,
           8,
           4,
           3e-4},
    Preset{"gpt2-124m",
           "GPT-2's sizes (12 heads of 64, T 1024) in this architecture",
           {12, 768, 12, 12, 2048, 50304},
           1024,
           16,
           4,
           6e-4},
    Preset{"q0.5b",
           "Qwen2.5 0.5B's sizes (14 query and 2 key heads of 64, T 1024) in this architecture",
           {24, 896, 14, 2, 4864, 151936},
           1024,
           16,
           4,
           3e-4},
    Preset{"q1.5b",
           "Qwen2.5 1.5B's sizes (12 query and 2 key heads of 128, T 1024) in this architecture",
           {28, 1536, 12, 2, 8960, 151936},
           1024,
           8,
           8,
           2e-4},
};

}  // namespace

std::int64_t Shape::parameters() const {
  const std::int64_t attention = 2 * d_model * d_model + 2 * d_model * kv_size();
  const std::int64_t layer = attention + 3 * d_model * hidden + 2 * d_model + 2 * head_size();
  return vocabulary * d_model + layers * layer + d_model;
}

std::span<const Preset> all_presets() {
  return kPresets;
}

const Preset* find_preset(std::string_view name) {
  const auto is_it = [name](const Preset& preset) { return name == preset.name; };
  const auto* found = std::find_if(kPresets.begin(), kPresets.end(), is_it);
  return found == kPresets.end() ? nullptr : found;
}

double Config::flops_a_token() const {
  return 6.0 * static_cast<double>(shape.parameters()) +
         6.0 * static_cast<double>(shape.layers * shape.d_model * sequence);
}

double Config::least_bytes() const {
  const double number = rungs.bf16_weights ? 2 : 4;
  const double state = zero || rungs.adamw_8bit ? 8 : 16;  // weight, gradient, moments
  const auto tokens = static_cast<double>(micro_batch * sequence);
  const double layers = rungs.recompute_blocks ? 1 : static_cast<double>(shape.layers);
  const double scores =
      rungs.sdpa ? 0 : layers * tokens * static_cast<double>(shape.heads * sequence);
  return state * static_cast<double>(shape.parameters()) +
         number * (tokens * static_cast<double>(shape.vocabulary) + scores);
}

void use_preset(Config& config, const Preset& preset) {
  config.preset = preset.name;
  config.shape = preset.shape;
  config.sequence = preset.sequence;
  config.micro_batch = preset.micro_batch;
  config.accumulate = preset.accumulate;
  config.learning_rate = preset.learning_rate;
}

double learning_rate_of(const Config& config, std::int64_t index) {
  constexpr double kLowest = 0.1;
  const auto done = static_cast<double>(index + 1), rise = static_cast<double>(config.lr_warm_up);
  if (done < rise) return config.learning_rate * done / rise;
  const double whole = std::max(1.0, static_cast<double>(config.schedule_steps()) - rise);
  const double part = std::clamp((done - rise) / whole, 0.0, 1.0);
  const double falls = 0.5 * (1 + std::cos(std::numbers::pi * part));
  return config.learning_rate * (kLowest + (1 - kLowest) * falls);
}

bool logs(const Config& config, std::int64_t index) {
  return index == 0 || index + 1 == config.steps ||
         (config.log_every > 0 && (index + 1) % config.log_every == 0);
}

namespace {

Status check_fp8(const Config& config) {
  constexpr std::int64_t kSixteen = 16;
  if (!config.rungs.fp8) return Done{};
  const std::int64_t tokens = config.micro_batch * config.sequence;
  const Shape& shape = config.shape;
  for (const auto& [what, size] :
       {std::pair{"--d-model", shape.d_model}, std::pair{"--hidden", shape.hidden},
        std::pair{"--kv-heads times the size of a head", shape.kv_size()},
        std::pair{"--vocabulary (without fp8_head any)",
                  config.rungs.fp8_head ? shape.vocabulary : 0},
        std::pair{"--micro-batch times --sequence", tokens}})
    if (size % kSixteen != 0)
      return usage_error(fmt::format(
          "fp8 takes matrices of multiples of 16, {} is {}; choose other sizes, or train --without "
          "fp8",
          what, size));
  return Done{};
}

}  // namespace

Status check(const Config& config) {
  const Shape& shape = config.shape;
  if (shape.d_model % shape.heads != 0 || shape.head_size() % 2 != 0)
    return usage_error(fmt::format("--heads {}: must divide --d-model {} into heads of even size",
                                   shape.heads, shape.d_model));
  if (shape.heads % shape.kv_heads != 0)
    return usage_error(
        fmt::format("--kv-heads {}: must divide --heads {}", shape.kv_heads, shape.heads));
  if (config.rungs.cudnn_attention && (shape.head_size() % 8 != 0 || shape.head_size() > 128))
    return usage_error(fmt::format(
        "cudnn_attention takes heads of a multiple of 8 up to 128, these have {}; choose other "
        "--heads, or train --without cudnn_attention",
        shape.head_size()));
  if (uses_kernels(config.rungs) && config.rungs.bf16 && !config.rungs.bf16_weights)
    return usage_error(
        "fused kernels take numbers of one type, and autocast mixes two: train --with "
        "bf16_weights, "
        "or --without bf16");
  if (config.zero && config.rungs.adamw_8bit)
    return usage_error(
        "--zero shares float32 moments: train --without adamw_8bit, or without --zero");
  if (std::max(config.ranks, config.nproc) > 1 && config.rungs.cuda_graph)
    return usage_error(
        "cuda_graph records the step of one process: train several ranks --without cuda_graph");
  if (config.documents.treat != Documents::ignored &&
      (config.documents.token < 0 || config.documents.token >= shape.vocabulary))
    return usage_error(fmt::format("--document-token {}: the vocabulary has {}",
                                   config.documents.token, shape.vocabulary));
  if (const Status fits = check_fp8(config); !fits) return fits;
  constexpr std::int64_t kGreatestHead = 256, kWidestOddNorm = 1024;
  const std::int64_t widest = config.rungs.bf16_weights ? 4096 : 2048;
  const std::int64_t run = config.rungs.bf16_weights ? 8 : 4;  // 16 bytes
  if (config.rungs.fused_rope && shape.head_size() > kGreatestHead)
    return usage_error(fmt::format(
        "fused_rope takes heads of at most {}, these have {}; choose more --heads, or train "
        "--without fused_rope",
        kGreatestHead, shape.head_size()));
  if (config.rungs.fused_norm &&
      shape.d_model > (shape.d_model % run == 0 ? widest : kWidestOddNorm))
    return usage_error(fmt::format(
        "fused_norm takes rows of at most {} numbers in runs of {}, else {}, --d-model is {}; "
        "train --without fused_norm",
        widest, run, kWidestOddNorm, shape.d_model));
  constexpr std::int64_t kLongest = 1 << 20;
  if (config.sequence > kLongest)
    return usage_error(fmt::format("--sequence {}: at most {} tokens", config.sequence, kLongest));
  if (config.corpus_tokens <= config.sequence && config.data.empty())
    return usage_error(fmt::format("--corpus-tokens {}: must be more than --sequence {}",
                                   config.corpus_tokens, config.sequence));
  return Done{};
}

}  // namespace stepscope::llm
