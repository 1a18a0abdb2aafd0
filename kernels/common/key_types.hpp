// SPDX-License-Identifier: Apache-2.0
// The number types that keys come in. The 16-bit ones are their bits, so that code without CUDA's
// headers reads them too; each holds exactly the values of a float with a shorter mantissa.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stepscope::kernels {

enum class KeyType { bfloat16, float16, float32 };

struct Bfloat16 {
  std::uint16_t bits;
};
struct Float16 {
  std::uint16_t bits;
};

constexpr std::size_t bytes_of(KeyType type) {
  return type == KeyType::float32 ? 4 : 2;
}

template <class T>
struct KeyTypeOf;
template <>
struct KeyTypeOf<Bfloat16> {
  static constexpr KeyType value = KeyType::bfloat16;
};
template <>
struct KeyTypeOf<Float16> {
  static constexpr KeyType value = KeyType::float16;
};
template <>
struct KeyTypeOf<float> {
  static constexpr KeyType value = KeyType::float32;
};

}  // namespace stepscope::kernels
