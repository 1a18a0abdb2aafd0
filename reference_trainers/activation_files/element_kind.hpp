// SPDX-License-Identifier: Apache-2.0
// How a number is stored: fp32, fp16, or bf16, which HDF5 does not know and whose 16 bits are
// therefore stored as an unsigned number. The names are those of metadata.json.
#pragma once

#include <c10/core/ScalarType.h>

#include <array>
#include <cstddef>
#include <string>

namespace stepscope::trainers {

struct ElementKind {
  at::ScalarType type;
  const char* name;
};

inline constexpr std::array kElementKinds{ElementKind{at::kFloat, "float32"},
                                          ElementKind{at::kHalf, "float16"},
                                          ElementKind{at::kBFloat16, "bfloat16"}};

inline std::string name_of(at::ScalarType type) {
  for (const ElementKind& kind : kElementKinds) {
    if (kind.type == type) return kind.name;
  }
  return c10::toString(type);
}

}  // namespace stepscope::trainers
