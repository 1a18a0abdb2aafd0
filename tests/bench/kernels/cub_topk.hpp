// SPDX-License-Identifier: Apache-2.0
// The peer: cub::DeviceTopK over (key, index) pairs, and a scatter of the indices into a bitmask.
// Keys raw, at most 2^32 of them, the matrix's width a multiple of 32.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/common/key_types.hpp"

struct CUstream_st;

namespace stepscope::kernels {

struct CubTopkArguments {
  const void* keys = nullptr;
  KeyType key_type = KeyType::bfloat16;
  std::int64_t entries = 0, count = 0;
  void* keys_out = nullptr;
  std::uint32_t* indices_out = nullptr;
  std::uint32_t* mask = nullptr;
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};

std::size_t cub_topk_workspace_bytes(const CubTopkArguments& arguments);
void cub_topk(const CubTopkArguments& arguments, CUstream_st* stream);

}  // namespace stepscope::kernels
