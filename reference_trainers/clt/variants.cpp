// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/variants.hpp"

#include <array>

namespace stepscope::clt {
namespace {

const std::array kVariants{
    Variant{"baseline", "as the public reference implementation does it", {}},
    Variant{"fused",
            "every kernel, with the reference's data path, readbacks and evaluation",
            {.sparse_step = true,
             .select_kernel = true,
             .sparse_decoder = true,
             .sparse_adam = true,
             .sparse_encoder = true,
             .moments_8bit = true}},
    Variant{"optimized", "every fix", every_fix()},
    Variant{"hierarchical",
            "baseline that selects as the reference does on 4 ranks, which is not BatchTopK: a "
            "quarter of k",
            {},
            4},
};

}  // namespace

std::span<const Variant> all_variants() {
  return kVariants;
}

const Variant* find_variant(std::string_view name) {
  for (const Variant& variant : kVariants) {
    if (name == variant.name) return &variant;
  }
  return nullptr;
}

}  // namespace stepscope::clt
