// SPDX-License-Identifier: Apache-2.0
#include "kernels/batch_topk/batch_topk.hpp"

#include <algorithm>

#include "kernels/batch_topk/batch_topk_collect.hpp"
#include "kernels/batch_topk/batch_topk_on.hpp"
#include "kernels/batch_topk/launch.cuh"
#include "kernels/batch_topk/workspace.hpp"

namespace stepscope::kernels {
namespace {

using namespace batch_topk_device;

std::uint32_t least_positive(KeyType type) {
  switch (type) {
    case KeyType::bfloat16:
      return kLeastPositiveKey<Bfloat16>;
    case KeyType::float16:
      return kLeastPositiveKey<Float16>;
    case KeyType::float32:
      break;
  }
  return kLeastPositiveKey<float>;
}

template <class Part>
Part* part(const BatchTopkArguments& arguments, std::size_t offset) {
  return reinterpret_cast<Part*>(static_cast<std::byte*>(arguments.workspace) + offset);
}

void set_workspace(const BatchTopkArguments& arguments, Parameters& p) {
  const BatchTopkWorkspace layout = workspace_of(arguments);
  p.state = part<State>(arguments, layout.state);
  p.sample_coarse = part<std::uint32_t>(arguments, layout.sample_coarse);
  p.sample_fine = part<std::uint32_t>(arguments, layout.sample_fine);
  p.candidate_bins = part<std::uint32_t>(arguments, layout.candidate_bins);
  p.radix_histogram = part<unsigned long long>(arguments, layout.radix_histogram);
  if (arguments.column_keys.source == KeySource::z_score)
    p.statistics = part<float2>(arguments, layout.statistics);
  p.candidate_table = part<std::uint64_t>(arguments, layout.candidate_table);
  p.candidate_list = part<std::uint64_t>(arguments, layout.candidate_list);
  p.finalists = part<std::uint64_t>(arguments, layout.finalists);
  p.slots = static_cast<std::uint32_t>(layout.candidate_slots);
  p.capacity = static_cast<std::uint64_t>(layout.candidate_capacity);
  const bool may_overflow = arguments.rows * arguments.columns > layout.candidate_capacity;
  p.many_listed = may_overflow ? p.capacity / 4 : ~std::uint64_t{0};
  p.zeroed = part<std::byte>(arguments, layout.state);
  const bool samples = !p.from_scratch && p.warm_start == nullptr;
  p.zeroed_bytes = samples ? layout.sampling_zeroed_bytes : layout.zeroed_bytes;
}

Parameters parameters_of(const BatchTopkArguments& arguments) {
  const bool affine = arguments.column_keys.source != KeySource::raw;
  const std::int64_t entries = arguments.rows * arguments.columns;
  Parameters p{};
  p.keys = arguments.keys;
  p.shape.rows = static_cast<std::uint32_t>(arguments.rows);
  p.shape.columns = static_cast<std::uint32_t>(arguments.columns);
  p.by_rows = Divider(p.shape.rows);
  p.by_columns = Divider(p.shape.columns);
  p.count = std::min(arguments.count, entries);
  p.device_count = arguments.device_count;
  p.ranked_type = affine ? KeyType::float32 : arguments.key_type;
  p.floor = arguments.positives_only ? least_positive(p.ranked_type) : kLeastNumberKey;
  p.nan = arguments.nan == NanPolicy::select ? NanRank::first : NanRank::last;
  p.place_bits = bit_width_of(static_cast<std::uint64_t>(entries - 1));
  p.mean = arguments.column_keys.mean;
  p.scale = arguments.column_keys.scale;
  p.epsilon = arguments.column_keys.epsilon;
  p.reads_before = arguments.column_keys.source == KeySource::z_score ? 1 : 0;
  p.mask = reinterpret_cast<std::uint8_t*>(arguments.mask);
  p.mask_row_bytes = static_cast<std::uint32_t>(mask_words_per_row(arguments.columns) * 4);
  p.result = arguments.result;
  p.from_scratch = arguments.start == BatchTopkStart::none;
  p.warm_start = p.from_scratch ? nullptr : arguments.warm_start;
  set_workspace(arguments, p);
  return p;
}

// 16-byte loads need each row to begin at a multiple of 16 bytes.
RowLayout row_layout(const BatchTopkArguments& arguments) {
  const auto row_bytes = static_cast<std::size_t>(arguments.columns) * bytes_of(arguments.key_type);
  if (reinterpret_cast<std::uintptr_t>(arguments.keys) % 16 != 0 || row_bytes % 16 != 0)
    return RowLayout::any;
  return arguments.columns % 32 == 0 ? RowLayout::flat : RowLayout::aligned;
}

__global__ void empty_result_kernel(BatchTopkResult* result) {
  BatchTopkResult empty;
  empty.threshold = __int_as_float(0x7f800000);
  *result = empty;
}

Status clear(void* memory, std::size_t bytes, cudaStream_t stream) {
  return bytes == 0 ? Status{}
                    : cuda_status(cudaMemsetAsync(memory, 0, bytes, stream), "cudaMemsetAsync");
}

Status clear_mask(const BatchTopkArguments& arguments, cudaStream_t stream) {
  const std::int64_t words = arguments.rows * mask_words_per_row(arguments.columns);
  return clear(arguments.mask, static_cast<std::size_t>(words) * sizeof(std::uint32_t), stream);
}

Status select_none(const BatchTopkArguments& arguments, cudaStream_t stream) {
  if (Status cleared = clear_mask(arguments, stream); !cleared.ok()) return cleared;
  empty_result_kernel<<<1, 1, 0, stream>>>(arguments.result);
  return cuda_status(cudaGetLastError(), "empty_result_kernel");
}

Status collect_none(const BatchTopkArguments& arguments, cudaStream_t stream) {
  if (Status cleared = clear_mask(arguments, stream); !cleared.ok()) return cleared;
  return clear(arguments.workspace, workspace_of(arguments).zeroed_bytes, stream);
}

Status launch(const BatchTopkArguments& arguments, const Parameters& p, const DeviceLimits& device,
              cudaStream_t stream) {
  const bool affine = arguments.column_keys.source != KeySource::raw;
  const RowLayout layout = row_layout(arguments);
  switch (arguments.key_type) {
    case KeyType::bfloat16:
      return launch_for<Bfloat16>(p, affine, layout, device, stream);
    case KeyType::float16:
      return launch_for<Float16>(p, affine, layout, device, stream);
    case KeyType::float32:
      break;
  }
  return launch_for<float>(p, affine, layout, device, stream);
}

Status limits_of_current(DeviceLimits* device) {
  return cuda_status(DeviceLimits::of_current(device), "cudaDeviceGetAttribute");
}

}  // namespace

Status batch_topk_on(const BatchTopkArguments& arguments, const DeviceLimits& device,
                     CUstream_st* stream) {
  if (Status status = validate(arguments); !status.ok()) return status;
  const bool none = arguments.device_count == nullptr && arguments.count < 1;
  if (none || arguments.rows == 0 || arguments.columns == 0) return select_none(arguments, stream);
  return launch(arguments, parameters_of(arguments), device, stream);
}

Status batch_topk(const BatchTopkArguments& arguments, CUstream_st* stream) {
  DeviceLimits device;
  if (Status status = validate(arguments); !status.ok()) return status;
  if (Status status = limits_of_current(&device); !status.ok()) return status;
  return batch_topk_on(arguments, device, stream);
}

Status batch_topk_collect(const BatchTopkArguments& arguments, CUstream_st* stream) {
  BatchTopkArguments filled = arguments;
  filled.start = BatchTopkStart::sample;
  filled.device_count = nullptr;
  filled.result = static_cast<BatchTopkResult*>(arguments.workspace);  // nothing is written there
  if (Status status = validate(filled); !status.ok()) return status;
  if (arguments.warm_start == nullptr)
    return Status::bad_argument("warm_start", "must point to the bracket");
  if (arguments.count < 1 || arguments.rows == 0 || arguments.columns == 0)
    return collect_none(arguments, stream);
  DeviceLimits device;
  if (Status status = limits_of_current(&device); !status.ok()) return status;
  Parameters p = parameters_of(filled);
  p.collects = true;
  return launch(arguments, p, device, stream);
}

}  // namespace stepscope::kernels
