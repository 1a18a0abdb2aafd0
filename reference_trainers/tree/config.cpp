// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/tree/config.hpp"

#include <fmt/format.h>

#include <array>

namespace stepscope::tree {
namespace {

constexpr std::array kPresets{
    Preset{"tiny", "7 nodes of width 32: seconds on a CPU", {}, 8, 128, 3e-3},
    Preset{"h100",
           "7 nodes of width 256, 128 tokens, 32 sequences a step, 6 M parameters: for one GPU, "
           "which it does not fill",
           {.depth = 2, .d_model = 256, .heads = 4, .vocabulary = 1024, .sequence = 128},
           32,
           512,
           3e-4},
};

}  // namespace

std::vector<std::size_t> Shape::path_to(std::int64_t leaf) const {
  std::vector<std::size_t> path;
  for (std::int64_t level = 0; level <= depth; ++level)
    path.push_back(static_cast<std::size_t>(
        kind == Kind::plain ? level : (std::int64_t{1} << level) - 1 + (leaf >> (depth - level))));
  return path;
}

std::span<const Preset> all_presets() {
  return kPresets;
}

void use_preset(Config& config, const Preset& preset) {
  config.preset = preset.name;
  config.shape = preset.shape;
  config.batch = preset.batch;
  config.eval_sequences = preset.eval_sequences;
  config.learning_rate = preset.learning_rate;
}

bool logs(const Config& config, std::int64_t index) {
  return index == 0 || index + 1 == config.steps ||
         (config.log_every > 0 && (index + 1) % config.log_every == 0);
}

bool evaluates(const Config& config, std::int64_t index) {
  return config.eval_every > 0 && (index + 1) % config.eval_every == 0;
}

Status check(const Config& config) {
  const Shape& shape = config.shape;
  if (shape.d_model % shape.heads != 0)
    return usage_error(
        fmt::format("--heads {}: must divide --d-model {}", shape.heads, shape.d_model));
  if (config.credit > shape.depth + 1)
    return usage_error(fmt::format("--credit {}: a path has {} nodes; lower it, or raise --depth",
                                   config.credit, shape.depth + 1));
  return Done{};
}

}  // namespace stepscope::tree
