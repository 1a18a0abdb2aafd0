// SPDX-License-Identifier: Apache-2.0
// Sets of fixes that have a name, and the reference's approximation of BatchTopK.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "reference_trainers/clt/fixes.hpp"

namespace stepscope::clt {

struct Variant {
  const char* name;
  const char* summary;  // a few words for --help
  Fixes fixes;
  std::int64_t hierarchical_ranks = 1;
};

std::span<const Variant> all_variants();

// nullptr where there is none of that name.
const Variant* find_variant(std::string_view name);

}  // namespace stepscope::clt
