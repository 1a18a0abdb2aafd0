// SPDX-License-Identifier: Apache-2.0
// Outputs made from a bitmask (common/bitmask.hpp) on the device: dense masks, counts, and lists of
// what is selected, by row or by column. Integers and copies only, each written by one thread or
// warp: the same bits on every run.
//
// A call enqueues kernels and returns: it neither waits nor allocates, so it can be captured in a
// CUDA graph.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/common/bitmask.hpp"
#include "kernels/common/key_types.hpp"
#include "kernels/common/status.hpp"

struct CUstream_st;

namespace stepscope::kernels {

// bytes[rows, columns]: 1 where selected, else 0, as a bool tensor has it.
Status bitmask_to_bytes(const Bitmask& mask, std::uint8_t* bytes, CUstream_st* stream);

// kept[rows, columns]: the key where selected, bit for bit, else +0. `keys` and `kept` may be one.
Status bitmask_keep(const Bitmask& mask, KeyType type, const void* keys, void* kept,
                    CUstream_st* stream);

// counts[rows] and counts[columns].
Status bitmask_row_counts(const Bitmask& mask, std::uint32_t* counts, CUstream_st* stream);
Status bitmask_column_counts(const Bitmask& mask, std::uint32_t* counts, CUstream_st* stream);

enum class BitmaskLines { rows, columns };

// CSR by rows or by columns: line i has the entries offsets[i] .. offsets[i + 1] - 1 of the list,
// in rising order of their index within the line.
struct BitmaskList {
  BitmaskLines lines = BitmaskLines::rows;
  std::int64_t* offsets = nullptr;  // [lines + 1]
  std::int32_t* indices = nullptr;  // [capacity]; null: offsets alone
  // Entries of the list beyond it are not written; offsets[lines] is their number.
  std::int64_t capacity = 0;
  const void* keys = nullptr;  // [rows, columns]; optional, with values
  void* values = nullptr;      // [capacity], the selected keys
  KeyType key_type = KeyType::bfloat16;
  const float* column_addends = nullptr;  // [columns], optional: added to float32 keys

  void* workspace = nullptr;  // any content; 256-byte aligned
  std::size_t workspace_bytes = 0;
};

std::size_t bitmask_list_workspace_bytes(const Bitmask& mask, BitmaskLines lines);
Status bitmask_list(const Bitmask& mask, const BitmaskList& list, CUstream_st* stream);

// Checks the arguments; ok where a call would launch.
Status validate(const Bitmask& mask);
Status validate(const Bitmask& mask, const BitmaskList& list);

}  // namespace stepscope::kernels
