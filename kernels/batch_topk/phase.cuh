// SPDX-License-Identifier: Apache-2.0
// Reads behind a sweep, one after the other within one kernel. Blocks depend on each other between
// reads without having to be resident together: a block takes shares of a read by number, in order,
// and waits only for shares that were taken before, so by blocks that run. Any number of blocks at
// a time makes progress, beside any other kernel.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/refine.cuh"
#include "kernels/batch_topk/sweep.cuh"

namespace stepscope::kernels::batch_topk_device {

// Gives a phase's shares out, one a block at a time, and shows which block completes it.
class Phase {
 public:
  __device__ Phase(State* state, std::uint32_t number) : state_(state), number_(number) {}

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
  // Waits until all blocks' shares are done, where the last one has nothing to decide.
  __device__ void end() {
    if (completes()) publish();
    wait();
  }

 private:
  State* state_;
  std::uint32_t number_;
  std::uint32_t done_ = 0;
};

// Lanes count in copies of their own, so that equal keys of a warp do not queue for one address.
constexpr std::uint32_t kCopies = 4;

// One block's shared memory, in the order of use; the ring begins behind kSharedBytes.
union FinishShared {
  // Counts of digits; its first kBins count a part of the sample.
  std::uint32_t histogram[kBins * kCopies];
  SweepShared sweep;
  RefineShared refine;
};
constexpr std::size_t kSharedBytes = std::size_t{32} * 1024;
static_assert(sizeof(FinishShared) <= kSharedBytes && kSharedBytes % kRingAlignment == 0);
constexpr std::size_t kFinishBytes = kSharedBytes + kRingBytes;

template <class T, bool kAffine, RowLayout kLayout, int kBytes = kRingBytes, class Visitor>
__device__ inline void visit_share(const Parameters& p, const Share& share, uint4* ring,
                                   Visitor& visitor) {
  StripStream<T, kAffine, kLayout, kBytes, 2> stream(p, share, ring);
  stream.run([&](const auto& strip, const auto& words) { visitor.visit(strip, words); },
             [&] { return visitor.may_hold(); });
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
  phase.end();
}

}  // namespace stepscope::kernels::batch_topk_device
