// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/data/write_data.hpp"

#include <fmt/format.h>

#include <utility>

#include "reference_trainers/activation_files/element_kind.hpp"
#include "reference_trainers/activation_files/write_activations.hpp"
#include "reference_trainers/clt/data/made_activations.hpp"
#include "reference_trainers/comm/rank_environment.hpp"

namespace stepscope::clt {

// Made rows are drawn one by one from the same distribution: no order to shuffle away.
Status write_data(const Config& config, const Say& say) {
  const auto environment = trainers::rank_environment();
  if (!environment) return environment.error();
  if (*environment && (*environment)->size > 1)
    return usage_error(fmt::format("--write-data writes in one process: this is a rank of {}",
                                   (*environment)->size));
  MadeActivations made = make_activations(config);
  const trainers::NewActivations all{std::move(made.inputs), std::move(made.targets),
                                     config.write_type, config.chunk_rows};
  if (Status written = trainers::write_activations(config.write_data, all); !written)
    return written;
  say(fmt::format("wrote {}: {} rows of {} layers, width {}, {}", config.write_data, config.rows,
                  config.layers, config.d_model, trainers::name_of(config.write_type)));
  return Done{};
}

}  // namespace stepscope::clt
