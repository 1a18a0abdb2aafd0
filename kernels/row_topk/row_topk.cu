// SPDX-License-Identifier: Apache-2.0
#include "kernels/row_topk/row_topk.hpp"

#include <algorithm>
#include <bit>

#include "kernels/common/launch.cuh"
#include "kernels/row_topk/select_row.cuh"

namespace stepscope::kernels {
namespace {

using namespace row_topk_device;

// Keys that the L2 cache cannot hold make way for what comes: 1024x49152 of bf16 took 42.4 us and
// takes 41.5. Others stay for whoever reads them next.
template <class T>
float read_once_share(const Parameters& p) {
  constexpr std::uint64_t kHeldBytes = std::uint64_t{32} << 20;
  return std::uint64_t{p.rows} * p.columns * sizeof(T) > kHeldBytes ? 1.0F : 1.0F / 256;
}

template <class T>
Parameters parameters_of(const RowTopkArguments& arguments) {
  const auto last = static_cast<std::uint32_t>(std::max<std::int64_t>(arguments.columns - 1, 0));
  Parameters p{};
  p.keys = arguments.keys;
  p.rows = static_cast<std::uint32_t>(arguments.rows);
  p.columns = static_cast<std::uint32_t>(arguments.columns);
  p.count = static_cast<std::uint32_t>(arguments.count);
  p.nan = arguments.nan == NanPolicy::select ? NanRank::first : NanRank::last;
  p.floor = arguments.positives_only ? kLeastPositiveKey<T> : kLeastNumberKey;
  p.place_bits = static_cast<int>(std::bit_width(last));
  p.read_once_share = read_once_share<T>(p);
  p.considered = arguments.considered;
  p.columns_out = arguments.columns_out;
  p.values = arguments.values;
  p.relu = arguments.values_as == RowTopkValues::relu;
  p.selected = arguments.selected;
  p.fired = arguments.fired;
  return p;
}

template <class T, class Code>
Status launch_with(const Parameters& p, cudaStream_t stream) {
  DeviceLimits device;
  if (Status s = cuda_status(DeviceLimits::of_current(&device), "cudaDeviceGetAttribute"); !s.ok())
    return s;
  const std::int64_t most = std::int64_t{device.multiprocessors} * kBlocksPerProcessor;
  const auto blocks = static_cast<unsigned>(std::min(std::int64_t{p.rows}, most));
  const Launch launch{blocks, kThreads, sizeof(RowShared<Code>), stream, device};
  return cuda_status(launch.after_all(row_topk_kernel<T, Code>, p), "row_topk_kernel");
}

template <class T>
Status launch(const RowTopkArguments& arguments, cudaStream_t stream) {
  const Parameters p = parameters_of<T>(arguments);
  if constexpr (sizeof(T) == 2)
    if (short_codes_do(OrderedTraits<T>::kBits, p.place_bits))
      return launch_with<T, std::uint32_t>(p, stream);
  return launch_with<T, std::uint64_t>(p, stream);
}

Status select_none(const RowTopkArguments& arguments, cudaStream_t stream) {
  if (arguments.selected == nullptr) return {};
  const auto bytes = static_cast<std::size_t>(arguments.rows) * sizeof(std::int32_t);
  return cuda_status(cudaMemsetAsync(arguments.selected, 0, bytes, stream), "cudaMemsetAsync");
}

}  // namespace

Status row_topk(const RowTopkArguments& arguments, CUstream_st* stream) {
  if (Status status = validate(arguments); !status.ok()) return status;
  if (arguments.rows == 0) return {};
  if (arguments.count < 1) return select_none(arguments, stream);
  switch (arguments.key_type) {
    case KeyType::bfloat16:
      return launch<Bfloat16>(arguments, stream);
    case KeyType::float16:
      return launch<Float16>(arguments, stream);
    case KeyType::float32:
      break;
  }
  return launch<float>(arguments, stream);
}

}  // namespace stepscope::kernels
