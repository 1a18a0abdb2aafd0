// SPDX-License-Identifier: Apache-2.0
// Where a kernel has the step's factors from, and the update of four parameters that lie side by
// side in memory.
#pragma once

#include "kernels/common/launch.cuh"
#include "kernels/common/numbers.cuh"
#include "kernels/fused_adam/adam_update.hpp"
#include "kernels/fused_adam/fused_adam.hpp"

namespace stepscope::kernels::fused_adam_device {

constexpr int kAdamThreads = 256;
constexpr int kAdamWarps = kAdamThreads / 32;

// The step's numbers come from the host, or are made by each block from the step in device memory.
struct FactorSource {
  AdamFactors factors;
  AdamSettings settings;
};
inline FactorSource factor_source(const AdamSettings& settings) {
  if (settings.device_step != nullptr) return {{}, settings};
  return {adam_factors(settings, settings.step), settings};
}

// Returns the step's factors in shared memory, where they take no registers. All threads of a block
// call it together.
__device__ inline const AdamFactors& factors_of_step(const FactorSource& source) {
  __shared__ AdamFactors factors;
  const std::int64_t* const step = source.settings.device_step;
  if (threadIdx.x == 0)
    factors = step == nullptr ? source.factors : adam_factors(source.settings, *step);
  __syncthreads();
  return factors;
}

// Parameters at 4 * quad .. 4 * quad + 3.
struct Quad {
  float4 parameters, first, second;

  __device__ void load(const AdamState& state, std::int64_t quad) {
    parameters = __ldcs(reinterpret_cast<const float4*>(state.parameters) + quad);
    first = __ldcs(reinterpret_cast<const float4*>(state.first_moments) + quad);
    second = __ldcs(reinterpret_cast<const float4*>(state.second_moments) + quad);
  }
  __device__ void update(const AdamFactors& f, const float4& gradient) {
    adam_update(f, gradient.x, parameters.x, first.x, second.x);
    adam_update(f, gradient.y, parameters.y, first.y, second.y);
    adam_update(f, gradient.z, parameters.z, first.z, second.z);
    adam_update(f, gradient.w, parameters.w, first.w, second.w);
  }
  __device__ void store(const AdamState& state, std::int64_t quad) const {
    __stcs(reinterpret_cast<float4*>(state.parameters) + quad, parameters);
    __stcs(reinterpret_cast<float4*>(state.first_moments) + quad, first);
    __stcs(reinterpret_cast<float4*>(state.second_moments) + quad, second);
    if (state.copy != nullptr) store_four(state.copy + 4 * quad, parameters);
  }
};

// Blocks that stay: kBlocks a multiprocessor, at most so many as there is work for.
inline Status resident_blocks(int blocks_a_multiprocessor, std::uint64_t most, unsigned* blocks) {
  DeviceLimits device;
  const cudaError_t code = DeviceLimits::of_current(&device);
  if (code != cudaSuccess) return cuda_status(code, "cudaDeviceGetAttribute");
  const auto resident = static_cast<std::uint64_t>(device.multiprocessors) *
                        static_cast<std::uint64_t>(blocks_a_multiprocessor);
  *blocks = static_cast<unsigned>(most < resident ? most : resident);
  return {};
}

}  // namespace stepscope::kernels::fused_adam_device
