// SPDX-License-Identifier: Apache-2.0
// A range of features or rows, and how a whole is shared by ranks.
#pragma once

#include <cstdint>

namespace stepscope::trainers {

struct Span {
  std::int64_t begin = 0, end = 0;

  std::int64_t size() const { return end - begin; }
};

// Neighbouring ranks' lie beside each other; sizes differ by 1 at most.
inline Span share_of(std::int64_t whole, int rank, int size) {
  return {whole * rank / size, whole * (rank + 1) / size};
}

}  // namespace stepscope::trainers
