// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/token_pipeline/config.hpp"

#include <fmt/format.h>

#include <array>

namespace stepscope::token_pipeline {
namespace {

constexpr std::array kPresets{
    Preset{
        "tiny", "27 to 81 tokens a sample, 16 samples a step: seconds on a CPU", {}, {}, 16, 3e-3},
    Preset{"h100",
           "81 to 240 tokens with 256 numbers each, 128 samples a step, 23 M parameters: for one "
           "GPU",
           {.layers = 6,
            .d_model = 512,
            .heads = 8,
            .hidden = 2048,
            .vocabulary = 8192,
            .features = 256,
            .classes = 32},
           {.samples = 2048, .shortest_region = 27, .longest_region = 80},
           128,
           3e-4},
};

}  // namespace

std::span<const Preset> all_presets() {
  return kPresets;
}

void use_preset(Config& config, const Preset& preset) {
  config.preset = preset.name;
  config.shape = preset.shape;
  config.made = preset.made;
  config.batch = preset.batch;
  config.learning_rate = preset.learning_rate;
}

bool logs(const Config& config, std::int64_t index) {
  return index == 0 || index + 1 == config.steps ||
         (config.log_every > 0 && (index + 1) % config.log_every == 0);
}

Status check(const Config& config) {
  const Shape& shape = config.shape;
  if (shape.d_model % shape.heads != 0)
    return usage_error(
        fmt::format("--heads {}: must divide --d-model {}", shape.heads, shape.d_model));
  if (config.made.shortest_region > config.made.longest_region)
    return usage_error(fmt::format("--shortest-region {}: must be at most --longest-region {}",
                                   config.made.shortest_region, config.made.longest_region));
  if (shape.vocabulary < shape.classes)
    return usage_error(fmt::format("--vocabulary {}: must be at least --classes {}",
                                   shape.vocabulary, shape.classes));
  if (config.fixes.bucketing && config.buckets > config.samples_of_rank())
    return usage_error(
        fmt::format("--buckets {}: a rank has {} samples a step; lower it, or train "
                    "--without bucketing",
                    config.buckets, config.samples_of_rank()));
  return Done{};
}

}  // namespace stepscope::token_pipeline
