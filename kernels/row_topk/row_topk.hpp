// SPDX-License-Identifier: Apache-2.0
// RowTopK: of each row of a [rows, columns] matrix the `count` entries with the greatest keys, as
// columns and values. Exact and bitwise repeatable, whatever the data; README.md says how.
//
// Which: by key, greatest first; equal keys by column, least first. -0 equals +0. What NaN does is
// NanPolicy. Infinities are ordinary keys. Where a row has fewer entries that may be selected than
// `count`, all of those are.
//
// Written: row r has the entries r * count and on of `columns_out` and `values`, sorted by column,
// least first; behind the last selected follow column -1 and value +0.
//
// A call enqueues one kernel and returns: it neither waits nor allocates and needs no workspace, so
// it can be captured in a CUDA graph, and calls on several streams do not disturb each other.
#pragma once

#include <cstdint>

#include "kernels/common/bitmask.hpp"
#include "kernels/common/key_types.hpp"
#include "kernels/common/nan_policy.hpp"
#include "kernels/common/status.hpp"

struct CUstream_st;

namespace stepscope::kernels {

constexpr std::int64_t kRowTopkMostCount = 512;

// How selected entries are written.
enum class RowTopkValues {
  raw,   // bit for bit
  relu,  // +0 for those below 0 and for -0; NaN stays
};

// What is kept a column over all rows. An entry has fired where it is selected and greater than
// `above`. Bits are ORed into what is there and counts are added to it, so that several calls may
// share them; both are optional.
struct RowTopkFired {
  std::uint32_t* bits = nullptr;    // [mask_words_per_row(columns)]
  std::uint32_t* counts = nullptr;  // [columns]: rows in which it fired
  float above = 0;
};

struct RowTopkArguments {
  // [rows, columns] row-major, device; any alignment that its type allows. Read in whole 16-byte
  // pieces from multiples of 16 bytes on, so where it begins elsewhere, from up to 14 bytes before.
  const void* keys = nullptr;
  KeyType key_type = KeyType::bfloat16;
  std::int64_t rows = 0, columns = 0;  // each below 2^31
  std::int64_t count = 0;  // k: below 1 selects none, above all selects all; at most 512
  NanPolicy nan = NanPolicy::reject;
  bool positives_only = false;  // keys <= 0 are never selected
  // Optional: one row of a bitmask (common/bitmask.hpp) for all rows; only columns whose bit is set
  // are selected, for instance those of features that do not fire.
  const std::uint32_t* considered = nullptr;

  std::int32_t* columns_out = nullptr;  // [rows, count]
  void* values = nullptr;               // [rows, count] of the key type, optional
  RowTopkValues values_as = RowTopkValues::raw;
  std::int32_t* selected = nullptr;  // [rows], optional: how many
  RowTopkFired fired;
};

// Checks the arguments, pointers included; ok where a call would launch.
Status validate(const RowTopkArguments& arguments);

// Enqueues on the stream.
Status row_topk(const RowTopkArguments& arguments, CUstream_st* stream);

}  // namespace stepscope::kernels
