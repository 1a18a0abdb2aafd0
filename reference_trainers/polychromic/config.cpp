// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/polychromic/config.hpp"

#include <fmt/format.h>

#include <array>

namespace stepscope::polychromic {
namespace {

constexpr std::array kPresets{
    Preset{.name = "tiny",
           .summary = "replies of 12 tokens by a decoder of width 32: seconds on a CPU",
           .decoder = {},
           .encoder = {.layers = 2, .d_model = 24, .heads = 2},
           .vocabulary = 64,
           .lengths = {},
           .prompts = 2,
           .replies = 3,
           .batch = 16,
           .sequences = 512,
           .bf16 = false,
           .learning_rate = 3e-3},
    Preset{.name = "h100",
           .summary = "replies of 64 tokens by a decoder of 29 M parameters: for one GPU, which it "
                      "does not fill",
           .decoder = {.layers = 8, .d_model = 512, .heads = 8},
           .encoder = {.layers = 6, .d_model = 384, .heads = 6},
           .vocabulary = 8192,
           .lengths = {.prompt = 32, .reply = 64},
           .prompts = 2,
           .replies = 3,
           .batch = 8,
           .sequences = 4096,
           .bf16 = true,
           .learning_rate = 3e-4},
    Preset{.name = "h100-350m",
           .summary = "replies of 96 tokens by a decoder of 336 M parameters, whose weights a "
                      "token's pass reads",
           .decoder = {.layers = 24, .d_model = 1024, .heads = 16},
           .encoder = {.layers = 6, .d_model = 384, .heads = 6},
           .vocabulary = 32768,
           .lengths = {.prompt = 32, .reply = 96},
           .prompts = 2,
           .replies = 3,
           .batch = 8,
           .sequences = 4096,
           .bf16 = true,
           .learning_rate = 1e-4},
};

}  // namespace

std::span<const Preset> all_presets() {
  return kPresets;
}

void use_preset(Config& config, const Preset& preset) {
  config.preset = preset.name;
  config.decoder = preset.decoder;
  config.encoder = preset.encoder;
  config.vocabulary = preset.vocabulary;
  config.lengths = preset.lengths;
  config.prompts = preset.prompts;
  config.replies = preset.replies;
  config.batch = preset.batch;
  config.sequences = preset.sequences;
  config.bf16 = preset.bf16;
  config.learning_rate = preset.learning_rate;
}

Status check(const Config& config) {
  const auto divides = [](const char* heads, const char* width, const Shape& shape) -> Status {
    if (shape.d_model % shape.heads == 0) return Done{};
    return usage_error(
        fmt::format("{} {}: must divide {} {}", heads, shape.heads, width, shape.d_model));
  };
  if (const Status good = divides("--heads", "--d-model", config.decoder); !good) return good;
  if (const Status good = divides("--encoder-heads", "--encoder-width", config.encoder); !good)
    return good;
  if (config.prompts > config.batch)
    return usage_error(
        fmt::format("--prompts {}: they are those of the first sequences of a "
                    "batch; lower it, or raise --batch {}",
                    config.prompts, config.batch));
  if (config.data.empty() && config.batch > config.sequences)
    return usage_error(
        fmt::format("--batch {}: there are {} sequences; lower it, or raise "
                    "--sequences",
                    config.batch, config.sequences));
  return Done{};
}

}  // namespace stepscope::polychromic
