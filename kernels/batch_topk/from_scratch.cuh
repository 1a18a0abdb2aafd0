// SPDX-License-Identifier: Apache-2.0
// Selection without a bracket, by radix digits of (key, place): a read counts the next 11 bits of
// the entries whose upper bits are known, until so few are left that one more read can collect them
// as candidates.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/phase.cuh"
#include "kernels/batch_topk/top_bits.cuh"

namespace stepscope::kernels::batch_topk_device {

// The next bits that a range decides.
struct NextDigit {
  bool of_place;
  int shift, bits;

  __device__ explicit NextDigit(const RadixRange& range)
      : of_place(range.key_bits == 0),
        shift(max((of_place ? range.place_bits : range.key_bits) - kBinBits, 0)),
        bits((of_place ? range.place_bits : range.key_bits) - shift) {}
};

template <class T, bool kAffine>
class DigitCount {
 public:
  using Layout = LaneLayout<T>;

  __device__ DigitCount(const Parameters& p, const RadixRange& range, std::uint32_t* histogram)
      : p_(p), range_(range), digit_(range), histogram_(histogram) {
    for (std::uint32_t i = threadIdx.x; i < kBins * kCopies; i += kThreads) histogram_[i] = 0;
    __syncthreads();
  }

  template <class Strip>
  __device__ void visit(const Strip& strip, const LaneWords<T>& words) {
    const std::uint32_t valid = strip.valid();
    std::uint32_t digits[Layout::kKeys];
    bool alike = true;
#pragma unroll
    for (int i = 0; i < Layout::kKeys; ++i) {
      const RankedKey key = ranked_key<T, kAffine>(p_, words.key(i), [&] {
        return min(strip.column() + Layout::column(lane_index(), i), p_.shape.columns - 1);
      });
      digits[i] = (valid >> i & 1U) != 0 ? digit(strip.entry() + Layout::column(0, i), key) : kNone;
      alike = alike && digits[i] == digits[0];
    }
    // Constant stretches, ReLU's zeroes for one, are counted at once.
    const std::uint32_t first = __shfl_sync(kAllLanes, digits[0], 0);
    if (__all_sync(kAllLanes, alike && digits[0] == first)) {
      if (lane_index() == 0) count(digits[0], Layout::kStripColumns);
      return;
    }
#pragma unroll
    for (int i = 0; i < Layout::kKeys; ++i) count(digits[i], 1);
  }
  __device__ static bool may_hold() {
    return true;
  }

  // Called once, by the whole block.
  __device__ void finish() {
    __syncthreads();
    for (std::uint32_t bin = threadIdx.x; bin < kBins; bin += kThreads) {
      unsigned long long sum = 0;
      for (std::uint32_t copy = 0; copy < kCopies; ++copy) sum += histogram_[bin * kCopies + copy];
      if (sum > 0) atomicAdd(&p_.radix_histogram[bin], sum);
    }
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;

  __device__ std::uint32_t digit(std::uint64_t entry, const RankedKey& ranked) {
    const std::uint32_t key = ranked.key;
    if (key < p_.floor || key < range_.key) return kNone;
    if (!digit_.of_place) {
      const std::uint64_t unknown = key - range_.key;
      if (unknown >> range_.key_bits != 0) return kNone;
      return static_cast<std::uint32_t>(unknown) >> digit_.shift;
    }
    if (key != range_.key) return kNone;
    const EntryPlace at = place_of_entry(p_, entry);
    const std::uint64_t code =
        CandidateCode{key, p_.place_bits}.encode(key, place_of(at.row, at.column, p_.shape.rows));
    if (code < range_.place || (code - range_.place) >> range_.place_bits != 0) return kNone;
    return static_cast<std::uint32_t>((code - range_.place) >> digit_.shift);
  }

  __device__ void count(std::uint32_t digit, std::uint32_t times) {
    if (digit == kNone) return;
    const std::uint32_t copy = threadIdx.x % kCopies;
    atomicAdd(&histogram_[digit * kCopies + copy], times);
  }

  const Parameters& p_;
  const RadixRange range_;
  const NextDigit digit_;
  std::uint32_t* histogram_;
};

// Decides the next digit of the range from its counts; one block. True where what is left fits.
__device__ inline bool narrow(const Parameters& p) {
  constexpr int kPerThread = static_cast<int>(kBins) / kThreads;
  RadixRange range = p.state->range;
  const NextDigit digit(range);
  std::int64_t counts[kPerThread];
  std::int64_t own = 0;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    counts[i] = static_cast<std::int64_t>(__ldcg(p.radix_histogram + threadIdx.x * kPerThread + i));
    own += counts[i];
  }
  std::int64_t total = 0;
  block_sum_above<kThreads>(own, &total);
  range.wanted =
      min(range.wanted, total);  // the first read may find fewer selectable keys than count
  const ChosenBin chosen = block_choose_bin<kThreads>(counts, range.wanted, &total);
  range.wanted = chosen.wanted;
  ++range.reads;
  (digit.of_place ? range.place_bits : range.key_bits) = digit.shift;
  if (digit.of_place)
    range.place += std::uint64_t{chosen.bin} << digit.shift;
  else
    range.key += chosen.bin << digit.shift;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) p.radix_histogram[threadIdx.x * kPerThread + i] = 0;
  if (threadIdx.x == 0) p.state->range = range;
  __syncthreads();
  return static_cast<std::uint64_t>(chosen.inside) <= p.capacity || range.wanted == 0;
}

// Prepares the bracket for the sweep of the range.
__device__ inline void prepare_collection(const Parameters& p, std::uint32_t phase) {
  if (threadIdx.x != 0) return;
  const RadixRange& range = p.state->range;
  const std::uint32_t ones = range.key_bits >= 32 ? ~0U : (1U << range.key_bits) - 1U;
  if (range.wanted == 0)  // the key of NaN alone, where it ranks first; and none is a candidate
    p.state->exact.bracket = bracket_of_none(p.place_bits);
  else if (range.key_bits > 0)
    p.state->exact.bracket =
        bracket_of_keys(max(range.key, p.floor), range.key + ones, p.place_bits);
  else
    p.state->exact.bracket = bracket_of_places(range.key, range.place, range.place_bits);
  p.state->collecting_phase = phase;
}

// One read that counts the range's next digit, the first of which is 0.
template <class T, bool kAffine, RowLayout kLayout>
__device__ void count_digit(const Parameters& p, std::uint32_t digit, Phase& phase, uint4* shared) {
  if constexpr (kLayout == RowLayout::flat) {
    if (counts_top_bits(p, digit)) {
      TopBitsCount<T> count(p, reinterpret_cast<std::uint32_t*>(shared));
      phase.run([&](const Share& share) {
        visit_share<T, false, kLayout, kTopBitsRingBytes>(
            p, share, shared + kTopBitsBytes / sizeof(uint4), count);
      });
      count.finish();
      return;
    }
  }
  DigitCount<T, kAffine> count(p, p.state->range,
                               reinterpret_cast<FinishShared*>(shared)->histogram);
  phase.run([&](const Share& share) {
    visit_share<T, kAffine, kLayout>(p, share, shared + kSharedBytes / sizeof(uint4), count);
  });
  count.finish();
}

// Selects by radix digits, from a phase on.
template <class T, bool kAffine, RowLayout kLayout>
__device__ void select_from_scratch(const Parameters& p, std::uint32_t first, std::uint32_t reads,
                                    uint4* shared) {
  State* const state = p.state;
  std::uint32_t number = first;
  do {
    Phase phase(state, number);
    count_digit<T, kAffine, kLayout>(p, number - first, phase, shared);
    if (phase.completes()) {
      if (narrow(p)) prepare_collection(p, number + 1);
      phase.publish();
    }
    phase.wait();
    ++number;
  } while (number != __ldcg(&state->collecting_phase));
  auto& parts = *reinterpret_cast<FinishShared*>(shared);
  take_bracket(state->exact, parts.sweep);
  sweep_phase<T, kAffine, kLayout>(p, state->exact, number, shared);

  const RadixRange range = state->range;
  if (range.wanted == 0) {
    if (is_last_block(&state->refine_arrived, gridDim.x) && threadIdx.x == 0)
      write_empty_result(p, reads + range.reads + 1);
    return;
  }
  (void)refine(p, state->exact, range.wanted, BatchTopkPath::exact, reads + range.reads + 1,
               known_before(p), parts.refine);
}

}  // namespace stepscope::kernels::batch_topk_device
