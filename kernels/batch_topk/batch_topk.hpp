// SPDX-License-Identifier: Apache-2.0
// BatchTopK: which `count` entries of a [rows, columns] matrix have the greatest keys, as a
// threshold and one bit an entry. Exact and bitwise repeatable, whatever the data; README.md says
// how.
//
// Order: by key, greatest first; equal keys by (column, row), least first. So a cut through equal
// keys depends on the matrix alone, and shards of columns can be cut as the whole would be.
// -0 equals +0. What NaN does is NanPolicy. Infinities are ordinary keys.
//
// A call enqueues kernels and returns: it neither waits, nor allocates, nor reads device memory
// from the host, so it can be captured in a CUDA graph. Calls that share a workspace must be
// ordered.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/common/bitmask.hpp"
#include "kernels/common/key_types.hpp"
#include "kernels/common/nan_policy.hpp"
#include "kernels/common/status.hpp"

struct CUstream_st;

namespace stepscope::kernels {

// What an entry x of column c is ranked by.
enum class KeySource {
  raw,      // x itself, compared in its own type
  affine,   // float (x - mean[c]) * scale[c], both given
  z_score,  // the same, computed here: mean over the rows and 1 / (std + epsilon), std unbiased
};

struct BatchTopkColumnKeys {
  KeySource source = KeySource::raw;
  float epsilon = 1e-6F;   // z_score
  float* mean = nullptr;   // [columns], device: read for affine, written for z_score
  float* scale = nullptr;  // [columns], device: as mean
};

// In device memory, what a call leaves for the next on similar data, for instance the next training
// step. It decides which keys are looked at closely first, so it changes the speed and never the
// result: any content is allowed, zeros say that nothing is known.
struct BatchTopkWarmStart {
  std::uint32_t low = 0, high = 0;  // ordered keys of this source and type
  std::uint32_t key = 0;            // the least selected one; 0: unknown
  std::uint32_t reach = 0;          // how far it moves between calls (warm_start.hpp)
};

// How a call narrows the keys down before it reads them all. The result does not depend on it.
enum class BatchTopkStart {
  sample,  // by a sample; or by warm_start where that is given
  none,    // not at all: two reads instead of one
};

// exact: after `none`, by radix digits; or where the sample or the warm start misled, by another
// bracket, of a sample, which takes a read more; by radix digits where that misled too, or the
// first sample said nothing of the keys.
enum class BatchTopkPath : std::uint32_t { sampled, warm, exact };

// In device memory, written by each call.
struct BatchTopkResult {
  float threshold = 0;            // least selected key; +inf where none is
  std::uint32_t ordered_key = 0;  // the same (ordered_key.hpp)
  std::int64_t selected = 0;      // bits set: count, or fewer where the policies leave fewer keys
  // Entries at the threshold are selected up to this one in the order (column, row); -1 where none
  // is selected.
  std::int64_t last_column = -1, last_row = -1;
  std::int64_t nan_count = 0;  // under either policy; 0 where a count below 1 left no key to read
  BatchTopkPath path = BatchTopkPath::exact;
  // Reads of the whole matrix, statistics included and the sample left out.
  std::uint32_t reads = 0;
};

struct BatchTopkArguments {
  const void* keys =
      nullptr;  // [rows, columns] row-major, device; any alignment that its type allows
  KeyType key_type = KeyType::bfloat16;
  std::int64_t rows = 0, columns = 0;  // at most 2^33 entries; each below 2^31
  std::int64_t count = 0;              // k * rows; below 1 selects none, above all selects all
  // Optional, in device memory: read by the call's kernels instead of `count`, so that it may be
  // the outcome of work enqueued before.
  const std::int64_t* device_count = nullptr;
  NanPolicy nan = NanPolicy::reject;
  bool positives_only = false;  // keys <= 0 are never selected, so there may be fewer than count
  BatchTopkColumnKeys column_keys;

  // A bit an entry, laid out as common/bitmask.hpp says.
  std::uint32_t* mask = nullptr;
  BatchTopkResult* result = nullptr;
  BatchTopkStart start = BatchTopkStart::sample;
  BatchTopkWarmStart* warm_start = nullptr;  // optional: read and written

  void* workspace = nullptr;  // any content; 256-byte aligned
  std::size_t workspace_bytes = 0;
};

// Checks the arguments, pointers included; ok where a call would launch.
Status validate(const BatchTopkArguments& arguments);

// Returns the workspace that a call with this shape and type needs; other members may be unset.
std::size_t batch_topk_workspace_bytes(const BatchTopkArguments& arguments);

// Enqueues on the stream. Empty matrices and count < 1 give an empty mask.
Status batch_topk(const BatchTopkArguments& arguments, CUstream_st* stream);

}  // namespace stepscope::kernels
