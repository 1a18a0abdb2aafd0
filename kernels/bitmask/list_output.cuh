// SPDX-License-Identifier: Apache-2.0
// Where a list's entries go: a kernel finds an entry's key and its place, and puts it there.
#pragma once

#include <cstdint>

#include "kernels/common/float_bits.hpp"

namespace stepscope::kernels {

// A multiprocessor; without the number ptxas saves registers that it has.
constexpr int kListBlocks = 4;

template <class Key>
struct ListOutput {
  std::int32_t* indices;
  std::int64_t capacity;
  const Key* keys;
  Key* values;
  const float* addends;  // addends by column; null: none

  struct Value {
    Key key{};
    float addend = 0;
  };
  // Nothing of it is looked at, so that no load waits for another.
  __device__ Value load(std::int64_t entry, std::int64_t column) const {
    Value value;
    if (values == nullptr) return value;
    value.key = keys[entry];
    if (addends != nullptr) value.addend = addends[column];
    return value;
  }
  __device__ void put(std::int64_t at, std::int64_t index, const Value& value) const {
    if (at >= capacity) return;
    indices[at] = static_cast<std::int32_t>(index);
    if (values != nullptr) values[at] = addends != nullptr ? sum(value) : value.key;
  }

 private:
  __device__ static Key sum(const Value& value) {
    if constexpr (sizeof(Key) == sizeof(float))
      return bits_of(float_of_bits(value.key) + value.addend);
    return value.key;
  }
};

}  // namespace stepscope::kernels
