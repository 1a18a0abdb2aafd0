// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/config.hpp"

#include <fmt/format.h>

namespace stepscope::clt {

bool evaluates(const Config& config, std::int64_t index) {
  return config.eval_every > 0 && (index + 1) % config.eval_every == 0;
}

bool reads_late(const Config& config, std::int64_t index) {
  return evaluates(config, index) || index == 0 || index + 1 == config.steps;
}

Status check(const Config& config) {
  if (config.k > config.layers * config.features) {
    return usage_error(
        fmt::format("--k {} exceeds --layers {} times --features {}: choose a smaller k", config.k,
                    config.layers, config.features));
  }
  if (config.data.empty() && config.rows < config.batch) {
    return usage_error(
        fmt::format("--rows {} is less than --batch {}: a batch takes each row at most once",
                    config.rows, config.batch));
  }
  if (config.hierarchical_ranks > 4 * config.k * config.batch) {
    return usage_error(fmt::format(
        "--hierarchical-ranks {}: with --k {} and --batch {} a rank would offer nothing",
        config.hierarchical_ranks, config.k, config.batch));
  }
  if (config.hierarchical_ranks > 1 && config.fixes.select_kernel) {
    return usage_error(fmt::format(
        "selecting as on {} ranks (--variant hierarchical, --hierarchical-ranks): the fix "
        "select_kernel selects exactly; add --without select_kernel",
        config.hierarchical_ranks));
  }
  if (!config.data.empty() && !config.write_data.empty())
    return usage_error(
        "--write-data writes the activations that --rows makes, not those of --data");
  if (!config.write_data.empty() && config.nproc > 1)
    return usage_error("--write-data writes in one process: leave out --nproc");
  return Done{};
}

}  // namespace stepscope::clt
