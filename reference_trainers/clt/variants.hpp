// SPDX-License-Identifier: Apache-2.0
// Every implementation of the training, in the order of the optimisation ladder.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "reference_trainers/clt/config.hpp"
#include "reference_trainers/clt/trainer.hpp"

namespace stepscope::clt {

struct Variant {
  const char* name;
  const char* summary;  // a few words for --help
  std::unique_ptr<Trainer> (*make)(const Config&, at::Device);
};

std::span<const Variant> all_variants();

// nullptr where there is none of that name.
const Variant* find_variant(std::string_view name);

}  // namespace stepscope::clt
