// SPDX-License-Identifier: Apache-2.0
// Shared state of the kernels of one call: their parameters, and the decisions that they leave for
// each other in the workspace.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "kernels/batch_topk/batch_topk.hpp"
#include "kernels/batch_topk/bracket.hpp"
#include "kernels/batch_topk/candidate.hpp"
#include "kernels/batch_topk/walk.hpp"
#include "kernels/batch_topk/workspace.hpp"
#include "kernels/common/divider.hpp"
#include "kernels/common/ordered_key.hpp"

namespace stepscope::kernels::batch_topk_device {

// Radix selection over (key, place): the entries whose upper bits are known.
struct RadixRange {
  std::uint32_t key;  // decided bits of the key; the lower key_bits are undecided
  int key_bits;
  std::uint64_t place;  // decided bits of the code of the place; the lower place_bits are undecided
  int place_bits;
  std::int64_t wanted;  // how many of the range's entries are selected
  std::uint32_t reads;
};

constexpr int kMostPhases = 16;

// A sweep's bracket and what it found.
struct Collection {
  Bracket bracket;
  unsigned long long above;  // entries that were selected outright
  // Candidates whose bin was full; beyond the capacity where they are too many, or will be.
  unsigned long long listed;
  unsigned long long nan;  // in all, where the sweep went to its end (Sweep::may_hold)
};

struct State {
  // A set for each bracket that may be tried: blocks of the last kernel may start late and still
  // judge one when others have gone on from it.
  Collection guessed, second, exact;
  std::uint32_t finalists;
  std::uint32_t refine_arrived;
  // After a bracket that misled, work is given out and completed by numbers a phase.
  RadixRange range;
  std::uint32_t collecting_phase;  // phase that collects the range's entries; 0 while not known
  std::uint32_t phases_done;
  std::uint32_t ticket[kMostPhases], arrived[kMostPhases];
};
static_assert(sizeof(State) <= BatchTopkWorkspace::kStateBytes);

// Keys that the first kernel brings into the L2 cache, by chunks, in the order of the read to come.
struct EarlyKeys {
  static constexpr std::uint32_t kChunkBytes = 8192;

  const std::byte* first;  // its chunk; a multiple of 16
  std::ptrdiff_t step;     // bytes from a chunk to the next
  std::uint32_t chunks;
};

struct Parameters {
  const void* keys;
  WalkShape shape;
  Divider by_rows, by_columns;
  WalkShape bands;           // shape for affine keys (band.cuh)
  std::uint32_t band_share;  // blocks of each group of bands, or 0 (column_walk.hpp)
  std::int64_t count;        // 1 .. entries, where device_count is null
  const std::int64_t* device_count;
  std::uint32_t floor;  // least ordered key that may be selected
  NanRank nan;
  KeyType ranked_type;  // type of the ordered keys: float32 for affine ones
  int place_bits;
  float* mean;
  float* scale;
  float2* statistics;         // moments by part, where mean and scale are computed here; else null
  std::uint32_t part_shares;  // blocks that share the parts of a column
  // The number of strips of columns, and of their runs, that the statistics sample; 0: they do not.
  std::uint32_t sampled_strips;
  std::int64_t sampled;  // keys, beside the statistics or by sectors
  float epsilon;
  std::uint8_t* mask;
  std::uint32_t mask_row_bytes;
  BatchTopkResult* result;
  BatchTopkWarmStart* warm_start;
  bool from_scratch;  // BatchTopkStart::none
  bool collects;      // batch_topk_collect: nothing behind the sweep
  std::uint32_t reads_before;
  State* state;
  std::uint32_t* sample_coarse;
  std::uint32_t* sample_fine;  // right behind sample_coarse
  std::uint32_t* candidate_bins;
  unsigned long long* radix_histogram;
  std::uint64_t* candidate_table;
  std::uint64_t* candidate_list;
  std::uint64_t* finalists;
  std::uint32_t slots;     // slots of a bin of the table
  std::uint64_t capacity;  // most candidates in all; each list holds as many
  // Listed candidates that make a sweep ask whether there will be too many; all ones: there cannot.
  std::uint64_t many_listed;
  void* zeroed;
  std::size_t zeroed_bytes;
  EarlyKeys early;
  // Share of the keys' cache lines that leave the L2 cache first (async_copy.cuh).
  float read_once_share;
};

struct EntryPlace {
  std::uint32_t row, column;
};

// Entries are numbered row by row.
__device__ inline EntryPlace place_of_entry(const Parameters& p, std::uint64_t entry) {
  const Divider::Parts parts = p.by_columns.divide(entry);
  return {parts.quotient, parts.remainder};
}
// Returns the place with few registers, for sweeps that hold floats: a Divider's numbers have 64
// bits, which cost fp32 1024x589824 2 %.
__device__ inline EntryPlace place_of_entry_in_few(const Parameters& p, std::uint64_t entry) {
  const std::uint32_t columns = p.shape.columns;
  const auto row = (entry >> 32) == 0 ? static_cast<std::uint32_t>(entry) / columns
                                      : static_cast<std::uint32_t>(entry / columns);
  return {row, static_cast<std::uint32_t>(entry - std::uint64_t{row} * columns)};
}

// Returns how many candidates of a collection belong to each bin, whether in the table or in the
// list.
__device__ inline std::uint32_t* bins_of(const Parameters& p, const Collection& collection) {
  static_assert(BatchTopkWorkspace::kCollections == 3);
  const std::uint32_t set = &collection == &p.state->exact ? 2 : &collection == &p.state->second;
  return p.candidate_bins + set * kBins;
}

// The caller's or the last call's: no kernel has to wait for another to read it.
__device__ inline BatchTopkWarmStart known_before(const Parameters& p) {
  return p.warm_start != nullptr ? *p.warm_start : BatchTopkWarmStart{};
}
__device__ inline Bracket warm_bracket(const Parameters& p, const BatchTopkWarmStart& known) {
  const std::uint32_t low = max(known.low, p.floor);
  return bracket_of_keys(low, max(low, known.high), p.place_bits);
}

// 0 .. entries. The caller wrote it before the call, so no kernel has to wait for another to read
// it.
__device__ inline std::int64_t count_of(const Parameters& p) {
  if (p.device_count == nullptr) return p.count;
  const std::int64_t entries = std::int64_t{p.shape.rows} * p.shape.columns;
  return min(max(*p.device_count, std::int64_t{0}), entries);
}

// So many times the expected entries above a bracket show that its sample, or the call before, knew
// nothing of these keys.
constexpr std::int64_t kFarTimes = 4;
__device__ inline bool far_above(const Parameters& p, unsigned long long above) {
  return static_cast<std::int64_t>(above) > kFarTimes * count_of(p);
}

}  // namespace stepscope::kernels::batch_topk_device
