// SPDX-License-Identifier: Apache-2.0
// The kernels of one call, in order: prepare and statistics (for z-scores; the other way round
// where blocks share columns, which prepare merges), then from_scratch, or sample (unless warm, or
// the statistics sampled), sweep and finish (unless it is batch_topk_collect's). Each but the first
// is a programmatic dependent of the one before it, so it starts while that one runs: the sweep's
// first copies are under way before the bracket is known.
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/batch_topk/band_sweep.cuh"
#include "kernels/batch_topk/finish.cuh"
#include "kernels/batch_topk/phase.cuh"
#include "kernels/batch_topk/sample.cuh"
#include "kernels/batch_topk/statistics.cuh"
#include "kernels/batch_topk/strip_stream.cuh"
#include "kernels/batch_topk/sweep.cuh"
#include "kernels/common/launch.cuh"

namespace stepscope::kernels::batch_topk_device {

// What a block can have on any device: 99 KB on those of compute capability 8.6, 8.9 and 12.0.
constexpr std::size_t kLeastBlockBytes = std::size_t{99} * 1024;
constexpr std::size_t kOfFunctions = 2048;  // at most, what stands in shared memory besides
static_assert(kRingBytes + sizeof(SweepShared) + kOfFunctions <= kLeastBlockBytes);
static_assert(kFinishBytes + kOfFunctions <= kLeastBlockBytes);

// Parts of a column go to several blocks only where the columns alone are too few for the device.
inline std::uint32_t part_shares(const WalkShape& shape, const DeviceLimits& device) {
  constexpr std::uint32_t kRows = BatchTopkWorkspace::kRowsOfPart;
  const std::uint32_t strips = (shape.columns + kStatisticsColumns - 1) / kStatisticsColumns;
  return strips >= 2 * static_cast<unsigned>(device.multiprocessors)
             ? 1
             : (shape.rows + kRows - 1) / kRows;
}

// Has the statistics sample, of very many strips of columns some, where that makes a sample as
// large as another.
template <class T>
void sample_beside_statistics(Parameters& p) {
  constexpr std::uint32_t kEnough = 512;
  const std::uint32_t strips = (p.shape.columns + kStatisticsColumns - 1) / kStatisticsColumns;
  const std::uint32_t sampled = std::min(strips, kEnough);
  std::uint32_t columns = sampled * kStatisticsColumns;
  if (is_chosen(strips - 1, sampled, strips))
    columns -= strips * kStatisticsColumns - p.shape.columns;
  const std::int64_t keys =
      std::int64_t{columns} * std::min(StatisticsLayout<T>::kRuns, p.shape.rows);
  if (keys < sampled_keys<T>(p)) return;
  p.sampled_strips = sampled;
  p.sampled = keys;
}

// p.part_shares says how many blocks a column has. overlapping: with the kernel before.
template <class T, bool kAligned>
Status launch_statistics(const Parameters& p, bool overlapping, const DeviceLimits& device,
                         cudaStream_t stream) {
  const std::uint32_t strips = (p.shape.columns + kStatisticsColumns - 1) / kStatisticsColumns;
  const Launch statistics{
      strips * p.part_shares, kStatisticsThreads, kStatisticsRingBytes, stream, device, true};
  const cudaError_t code = overlapping ? statistics.overlapping(statistics_kernel<T, kAligned>, p)
                                       : statistics.after_all(statistics_kernel<T, kAligned>, p);
  return cuda_status(code, "statistics_kernel");
}

template <class T, bool kAffine, RowLayout kLayout, int kBytes>
cudaError_t launch_sweep_of(const Parameters& p, const DeviceLimits& device, cudaStream_t stream) {
  const unsigned blocks = static_cast<unsigned>(device.multiprocessors) * 2;
  const Launch sweep{blocks, kThreads, kBytes, stream, device, true};
  if constexpr (kAffine && kLayout != RowLayout::any)
    return sweep.overlapping(band_sweep_kernel<T, kBytes>, p);
  else
    return sweep.overlapping(sweep_kernel<T, kAffine, kLayout, kBytes>, p);
}

// Launches the sweep. Where a block cannot have the large ring, a multiprocessor has room for one
// with the small one: then the grid, two blocks a multiprocessor, takes two turns.
template <class T, bool kAffine, RowLayout kLayout>
Status launch_sweep(const Parameters& p, const DeviceLimits& device, cudaStream_t stream) {
  cudaError_t code = cudaSuccess;
  if constexpr (kLayout == RowLayout::any)
    code = launch_sweep_of<T, kAffine, kLayout, 0>(p, device, stream);
  else if (kSweepRingBytes + sizeof(SweepShared) + kOfFunctions <= device.block_shared_bytes)
    code = launch_sweep_of<T, kAffine, kLayout, kSweepRingBytes>(p, device, stream);
  else
    code = launch_sweep_of<T, kAffine, kLayout, kRingBytes>(p, device, stream);
  return cuda_status(code, "sweep_kernel");
}

// The keys make way for the mask, where the L2 cache can hold that: 1024x49152 took 44.7 us and
// takes 41.1, 1024x589824, whose mask is 75 MB, 336 in place of 342 without.
inline float read_once_share(const Parameters& p) {
  constexpr std::uint64_t kMostMaskBytes = std::uint64_t{24} << 20;
  return std::uint64_t{p.shape.rows} * p.mask_row_bytes <= kMostMaskBytes ? 1.0F : 1.0F / 256;
}

// A call so long that 0.5 us do not matter.
template <class T>
bool reads_long(const Parameters& p) {
  constexpr std::uint64_t kLongBytes = std::uint64_t{384} << 20;
  return std::uint64_t{p.shape.rows} * p.shape.columns * sizeof(T) >= kLongBytes;
}

inline Status launch_prepare(const Parameters& p, unsigned blocks, bool overlapping,
                             const DeviceLimits& device, cudaStream_t stream) {
  const Launch prepare{blocks, kPrepareThreads, 0, stream, device, true};
  const cudaError_t code =
      overlapping ? prepare.overlapping(prepare_kernel, p) : prepare.after_all(prepare_kernel, p);
  return cuda_status(code, "prepare_kernel");
}

// Statistics read the first row first, sweeps the last strip.
template <class T>
EarlyKeys early_keys(const Parameters& p, bool samples, bool last_first) {
  constexpr std::ptrdiff_t kChunk = EarlyKeys::kChunkBytes;
  const std::size_t all = std::size_t{p.shape.rows} * p.shape.columns * sizeof(T);
  const std::size_t early = std::min(samples ? kEarlyBytes : kEarlyWarmBytes, all);
  const auto* const keys = static_cast<const std::byte*>(p.keys);
  const auto chunks = static_cast<std::uint32_t>(early / kChunk);
  if (chunks == 0) return {};
  return last_first ? EarlyKeys{keys + (all - kChunk), -kChunk, chunks}
                    : EarlyKeys{keys, kChunk, chunks};
}

template <class T, bool kAligned>
Status launch_with_statistics(Parameters& p, bool samples, const DeviceLimits& device,
                              cudaStream_t stream) {
  p.part_shares = part_shares(p.shape, device);
  if (p.part_shares > 1) {  // prepare merges them
    if (Status s = launch_statistics<T, kAligned>(p, false, device, stream); !s.ok()) return s;
    const auto most_blocks = static_cast<unsigned>(device.multiprocessors) * 2;
    const unsigned blocks = std::min(p.shape.columns / kPrepareThreads + 1, most_blocks);
    return launch_prepare(p, blocks, true, device, stream);
  }
  if (samples) sample_beside_statistics<T>(p);
  if (kAligned) p.early = early_keys<T>(p, samples, false);
  if (Status s = launch_prepare(p, kPrepareBlocks, false, device, stream); !s.ok()) return s;
  return launch_statistics<T, kAligned>(p, true, device, stream);
}

template <class T, bool kAffine, RowLayout kLayout>
Status launch_selection(Parameters p, const DeviceLimits& device, cudaStream_t stream) {
  p.shape = walk_shape(p.shape.rows, p.shape.columns, LaneLayout<T>::kStripColumns, kWarps);
  p.bands = band_shape<T>(p.shape.rows, p.shape.columns);
  const unsigned full_grid = static_cast<unsigned>(device.multiprocessors) * 2;
  p.band_share = workers_of_group(p.bands, full_grid);
  constexpr bool kAligned = kLayout != RowLayout::any;
  p.read_once_share = read_once_share(p);
  const bool samples = !p.from_scratch && p.warm_start == nullptr;
  const auto launched = [&](cudaError_t code, const char* name) { return cuda_status(code, name); };

  p.sampled = sampled_keys<T>(p);
  const bool counts_columns = kAffine && p.statistics != nullptr;
  if (counts_columns) {
    if constexpr (kAffine)
      if (Status s = launch_with_statistics<T, kAligned>(p, samples, device, stream); !s.ok())
        return s;
  } else {
    if (kLayout == RowLayout::flat && !p.from_scratch) p.early = early_keys<T>(p, samples, true);
    if (Status s = launch_prepare(p, kPrepareBlocks, false, device, stream); !s.ok()) return s;
  }
  if (samples && p.sampled_strips == 0) {
    const Launch sample{kSampleBlocks, kSampleThreads, 0, stream, device, true};
    const cudaError_t code = sample.overlapping(sample_kernel<T, kAffine, kAligned>, p);
    if (Status s = launched(code, "sample_kernel"); !s.ok()) return s;
  }
  if (!p.from_scratch)
    if (Status s = launch_sweep<T, kAffine, kLayout>(p, device, stream); !s.ok()) return s;
  if (p.collects) return {};
  if (p.from_scratch) {
    const Launch last{full_grid, kThreads, kFinishBytes, stream, device, true};
    return launched(last.overlapping(from_scratch_kernel<T, kAffine, kLayout>, p),
                    "from_scratch_kernel");
  }
  // One block a multiprocessor: it has come before the sweep ends, and does what all blocks do.
  const Launch finish{
      static_cast<unsigned>(device.multiprocessors), kThreads, kFinishBytes, stream, device, true};
  const cudaError_t code = reads_long<T>(p)
                               ? finish.overlapping(finish_kernel<T, kAffine, kLayout, false>, p)
                               : finish.overlapping(finish_kernel<T, kAffine, kLayout, true>, p);
  return launched(code, "finish_kernel");
}

template <class T>
Status launch_for(const Parameters& p, bool affine, RowLayout layout, const DeviceLimits& device,
                  cudaStream_t stream) {
  if (affine)
    return layout == RowLayout::any
               ? launch_selection<T, true, RowLayout::any>(p, device, stream)
               : launch_selection<T, true, RowLayout::aligned>(p, device, stream);
  switch (layout) {
    case RowLayout::any:
      return launch_selection<T, false, RowLayout::any>(p, device, stream);
    case RowLayout::aligned:
      return launch_selection<T, false, RowLayout::aligned>(p, device, stream);
    case RowLayout::flat:
      break;
  }
  return launch_selection<T, false, RowLayout::flat>(p, device, stream);
}

// One file a type, so that they compile side by side.
extern template Status launch_for<Bfloat16>(const Parameters&, bool, RowLayout, const DeviceLimits&,
                                            cudaStream_t);
extern template Status launch_for<Float16>(const Parameters&, bool, RowLayout, const DeviceLimits&,
                                           cudaStream_t);
extern template Status launch_for<float>(const Parameters&, bool, RowLayout, const DeviceLimits&,
                                         cudaStream_t);

}  // namespace stepscope::kernels::batch_topk_device
