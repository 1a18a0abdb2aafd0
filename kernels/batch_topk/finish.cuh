// SPDX-License-Identifier: Apache-2.0
// The last kernel of a call. Where the bracket held, it refines. Else it tries another, of a
// sample, which takes a read more: a wide one where it was a sample's that misled, and that one's
// counts say that it was near. Where that fails too, or there is none, it selects from scratch,
// which is all that a call without a bracket does, by radix digits of (key, place): a read counts
// the next 11 bits of the entries whose upper bits are known, until so few are left that one more
// read can collect them as candidates.
//
// Blocks depend on each other between reads without having to be resident together: a block takes
// shares of a read by number, in order, and waits only for shares that were taken before, so by
// blocks that run. Any number of blocks at a time makes progress, beside any other kernel.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/refine.cuh"
#include "kernels/batch_topk/sample.cuh"
#include "kernels/batch_topk/sweep.cuh"
#include "kernels/batch_topk/top_bits.cuh"

namespace stepscope::kernels::batch_topk_device {

// Lanes count in copies of their own, so that equal keys of a warp do not queue for one address.
constexpr std::uint32_t kCopies = 4;

// One block's shared memory, in the order of use; the ring begins behind kSharedBytes.
union FinishShared {
  std::uint32_t histogram[kBins * kCopies];  // of digits; its first kBins of a part of the sample
  SweepShared sweep;
  RefineShared refine;
};
constexpr std::size_t kSharedBytes = std::size_t{32} * 1024;
static_assert(sizeof(FinishShared) <= kSharedBytes && kSharedBytes % kRingAlignment == 0);
constexpr std::size_t kFinishBytes = kSharedBytes + kRingBytes;

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

// Gives a phase's shares out, one a block at a time, and tells the block that completes it.
class Phase {
 public:
  __device__ Phase(State* state, std::uint32_t number) : state_(state), number_(number) {}

  __device__ std::uint32_t number() const { return number_; }

  // work(share) for each share that this block is given.
  template <class Work>
  __device__ void run(Work work) {
    __shared__ std::uint32_t share;
    while (true) {
      __syncthreads();
      if (threadIdx.x == 0) share = atomicAdd(&state_->ticket[number_], 1U);
      __syncthreads();
      if (share >= gridDim.x) break;
      work(Share{share, gridDim.x});
      ++done_;
    }
  }

  // Whether this block's shares were the last; then it must call publish().
  __device__ bool completes() {
    __shared__ bool last;
    __syncthreads();
    if (threadIdx.x == 0)
      last =
          done_ > 0 && acquire_release_add(&state_->arrived[number_], done_) + done_ == gridDim.x;
    __syncthreads();
    return last;
  }
  __device__ void publish() {
    __syncthreads();
    if (threadIdx.x == 0) release_store(&state_->phases_done, number_ + 1);
  }
  __device__ void wait() const {
    if (threadIdx.x == 0)
      while (acquire_load(&state_->phases_done) <= number_) __nanosleep(100);
    __syncthreads();
  }

 private:
  State* state_;
  std::uint32_t number_;
  std::uint32_t done_ = 0;
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

// What the sweep of the range needs: its bracket.
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

template <class T, bool kAffine, RowLayout kLayout, int kBytes = kRingBytes, class Visitor>
__device__ inline void visit_share(const Parameters& p, const Share& share, uint4* ring,
                                   Visitor& visitor) {
  StripStream<T, kAffine, kLayout, kBytes, 2> stream(p, share, ring);
  stream.run([&](const auto& strip, const auto& words) { visitor.visit(strip, words); },
             [&] { return visitor.may_hold(); });
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

// One read with the bracket in shared memory, which the second collection is left, to its end in
// all blocks.
template <class T, bool kAffine, RowLayout kLayout>
__device__ void sweep_phase(const Parameters& p, Collection& collection, std::uint32_t number,
                            uint4* shared) {
  Phase phase(p.state, number);
  auto& parts = reinterpret_cast<FinishShared*>(shared)->sweep;
  Sweep<T, kAffine> sweep(p, collection, parts);
  phase.run([&](const Share& share) {
    if (&collection == &p.state->second && share.number == 0 && threadIdx.x == 0)
      collection.bracket = parts.bracket;
    visit_share<T, kAffine, kLayout>(p, share, shared + kSharedBytes / sizeof(uint4), sweep);
  });
  sweep.finish();
  if (phase.completes()) phase.publish();
  phase.wait();
}

// By radix digits, from a phase on.
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

// What a second bracket begins with: a phase that clears the sample's counters, and one that
// counts.
template <class T, bool kAffine, RowLayout kLayout>
__device__ void sample_again(const Parameters& p, float deviations, std::uint32_t first,
                             uint4* shared) {
  static_assert(kSampleThreads == kThreads);
  Phase clearing(p.state, first);
  clearing.run([&](const Share& share) {
    const auto stride = static_cast<std::uint32_t>(share.count) * kThreads;
    auto* const counters = reinterpret_cast<uint4*>(p.sample_coarse);
    for (std::uint32_t i = static_cast<std::uint32_t>(share.number) * kThreads + threadIdx.x;
         i < (kBins + BatchTopkWorkspace::kFineBins) / 4; i += stride)
      counters[i] = uint4{};
  });
  if (clearing.completes()) clearing.publish();
  clearing.wait();
  Phase counting(p.state, first + 1);
  counting.run([&](const Share& share) {
    auto* const histogram = reinterpret_cast<FinishShared*>(shared)->histogram;
    for (auto i = static_cast<std::uint32_t>(share.number); i < kSampleBlocks; i += share.count) {
      SamplePart<T, kAffine, kLayout != RowLayout::any> part(p, i);
      clear_histogram(histogram);
      part.count(deviations, histogram);
      part.hand_on();
      __syncthreads();  // the histogram is read
    }
  });
  if (counting.completes()) counting.publish();
  counting.wait();
}

constexpr std::uint32_t kSecondPhases = 3;

// False, to all blocks, where the second bracket does not hold the cut either.
template <class T, bool kAffine, RowLayout kLayout>
__device__ bool select_by_second_bracket(const Parameters& p, float deviations, std::uint32_t reads,
                                         uint4* shared) {
  sample_again<T, kAffine, kLayout>(p, deviations, 0, shared);
  auto& parts = *reinterpret_cast<FinishShared*>(shared);
  Collection& collection = p.state->second;
  choose_sampled_bracket<T, kAffine>(p, deviations, &parts.sweep.bracket);
  __syncthreads();
  sweep_phase<T, kAffine, kLayout>(p, collection, kSecondPhases - 1, shared);
  const std::int64_t wanted = count_of(p) - static_cast<std::int64_t>(collection.above);
  return refine(p, collection, wanted, BatchTopkPath::exact, reads + 1, known_before(p),
                parts.refine);
}

// Whether a wide bracket of the sample, whose narrow one misled, may hold the cut: not where many
// keys are equal, or the ends' ranks say that the sample knows nothing of the keys.
__device__ inline bool sample_nearly_held(const Parameters& p, const Collection& found) {
  std::uint32_t candidates = 0;
  (void)CandidateShare(p, found).choose(1, &candidates);
  const auto reaching = static_cast<std::int64_t>(found.above) + std::int64_t{candidates};
  return candidates <= p.capacity && !far_above(p, found.above) &&
         kFarTimes * reaching > count_of(p);
}

template <class T, bool kAffine, RowLayout kLayout>
__device__ __forceinline__ void select_after_all(const Parameters& p, uint4* shared) {
  const bool sampled = p.warm_start == nullptr;
  std::uint32_t reads = p.reads_before + 1;
  std::uint32_t phase = 0;
  if (!sampled || sample_nearly_held(p, p.state->guessed)) {
    const float deviations = sampled ? kWide : kNarrow;
    if (select_by_second_bracket<T, kAffine, kLayout>(p, deviations, reads, shared)) return;
    phase = kSecondPhases;
    ++reads;
  }
  select_from_scratch<T, kAffine, kLayout>(p, phase, reads, shared);
}

template <class T, bool kAffine, RowLayout kLayout>
__device__ __noinline__ void select_after_all_apart(const Parameters& p, uint4* shared) {
  select_after_all<T, kAffine, kLayout>(p, shared);
}

// Behind a sweep. kApart: what is seldom done is a function of its own. Then a call whose bracket
// holds takes 0.5 us less, and one that was misled a tenth longer, since that function spills.
template <class T, bool kAffine, RowLayout kLayout, bool kApart>
__global__ void __launch_bounds__(kThreads, 2) finish_kernel(const __grid_constant__ Parameters p) {
  extern __shared__ __align__(kRingAlignment) uint4 shared[];
  const BatchTopkWarmStart known = known_before(p);
  wait_for_grid_before();
  const Collection& guessed = p.state->guessed;
  const std::int64_t wanted = count_of(p) - static_cast<std::int64_t>(guessed.above);
  const BatchTopkPath path = p.warm_start != nullptr ? BatchTopkPath::warm : BatchTopkPath::sampled;
  if (!refine(p, guessed, wanted, path, p.reads_before + 1, known,
              reinterpret_cast<FinishShared*>(shared)->refine)) {
    if constexpr (kApart)
      select_after_all_apart<T, kAffine, kLayout>(p, shared);
    else
      select_after_all<T, kAffine, kLayout>(p, shared);
  }
}

template <class T, bool kAffine, RowLayout kLayout>
__global__ void __launch_bounds__(kThreads, 2)
    from_scratch_kernel(const __grid_constant__ Parameters p) {
  extern __shared__ __align__(kRingAlignment) uint4 shared[];
  wait_for_grid_before();
  select_from_scratch<T, kAffine, kLayout>(p, 0, p.reads_before, shared);
}

}  // namespace stepscope::kernels::batch_topk_device
