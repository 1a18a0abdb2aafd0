// SPDX-License-Identifier: Apache-2.0
// The list of recorded calls against the real headers: ids by name, offsets by parameter struct.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cupti.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "collectors/cupti/calls/api_functions.hpp"

namespace stepscope::cupti {
namespace {

const ApiFunction* find(Domain domain, std::uint32_t id) {
  const auto functions = api_functions();
  const auto at = std::find_if(functions.begin(), functions.end(), [&](const ApiFunction& f) {
    return f.domain == domain && (f.ids[0] == id || f.ids[1] == id);
  });
  return at == functions.end() ? nullptr : &*at;
}

#define EXPECT_PLACE(id, field, params, member)                                         \
  {                                                                                     \
    const ApiFunction* function = find(Domain::runtime, CUPTI_RUNTIME_TRACE_CBID_##id); \
    ASSERT_NE(function, nullptr) << #id;                                                \
    EXPECT_EQ(function->field, offsetof(params##_params, member)) << #id;               \
  }

TEST(ApiHeaders, ParametersLieWhereTheListSays) {
  EXPECT_PLACE(cudaLaunchKernel_v7000, stream, cudaLaunchKernel_v7000, stream);
  EXPECT_PLACE(cudaLaunchKernel_ptsz_v7000, stream, cudaLaunchKernel_ptsz_v7000, stream);
  EXPECT_PLACE(cudaLaunchCooperativeKernel_v9000, stream, cudaLaunchCooperativeKernel_v9000,
               stream);
  EXPECT_PLACE(cudaGraphLaunch_v10000, stream, cudaGraphLaunch_v10000, stream);
  EXPECT_PLACE(cudaMemcpyAsync_v3020, stream, cudaMemcpyAsync_v3020, stream);
  EXPECT_PLACE(cudaMemcpyAsync_v3020, value, cudaMemcpyAsync_v3020, count);
  EXPECT_PLACE(cudaMemcpy_v3020, value, cudaMemcpy_v3020, count);
  EXPECT_PLACE(cudaMemcpyPeerAsync_v4000, stream, cudaMemcpyPeerAsync_v4000, stream);
  EXPECT_PLACE(cudaMemsetAsync_v3020, stream, cudaMemsetAsync_v3020, stream);
  EXPECT_PLACE(cudaMemsetAsync_v3020, value, cudaMemsetAsync_v3020, count);
  EXPECT_PLACE(cudaStreamSynchronize_v3020, stream, cudaStreamSynchronize_v3020, stream);
  EXPECT_PLACE(cudaEventSynchronize_v3020, value, cudaEventSynchronize_v3020, event);
  EXPECT_PLACE(cudaEventRecord_v3020, stream, cudaEventRecord_v3020, stream);
  EXPECT_PLACE(cudaEventRecord_v3020, value, cudaEventRecord_v3020, event);
  EXPECT_PLACE(cudaStreamWaitEvent_v3020, stream, cudaStreamWaitEvent_v3020, stream);
  EXPECT_PLACE(cudaStreamWaitEvent_v3020, value, cudaStreamWaitEvent_v3020, event);
  EXPECT_PLACE(cudaMalloc_v3020, value, cudaMalloc_v3020, size);
  EXPECT_PLACE(cudaMallocAsync_v11020, stream, cudaMallocAsync_v11020, hStream);
  EXPECT_PLACE(cudaHostAlloc_v3020, value, cudaHostAlloc_v3020, size);
}

#define EXPECT_DRIVER_PLACE(call, field, member)                                        \
  {                                                                                     \
    const ApiFunction* function = find(Domain::driver, CUPTI_DRIVER_TRACE_CBID_##call); \
    ASSERT_NE(function, nullptr) << #call;                                              \
    EXPECT_EQ(function->field, offsetof(call##_params, member)) << #call;               \
  }

TEST(ApiHeaders, SoDoTheDriversThatTheRuntimesAreLeftTo) {
  EXPECT_DRIVER_PLACE(cuLaunchKernel, stream, hStream);
  EXPECT_DRIVER_PLACE(cuLaunchKernel_ptsz, stream, hStream);
  EXPECT_DRIVER_PLACE(cuGraphLaunch, stream, hStream);
  EXPECT_DRIVER_PLACE(cuGraphLaunch_ptsz, stream, hStream);
  EXPECT_DRIVER_PLACE(cuMemcpyAsync, stream, hStream);
  EXPECT_DRIVER_PLACE(cuMemcpyAsync, value, ByteCount);
  EXPECT_DRIVER_PLACE(cuMemcpyHtoDAsync_v2, stream, hStream);
  EXPECT_DRIVER_PLACE(cuMemcpyHtoDAsync_v2, value, ByteCount);
  EXPECT_DRIVER_PLACE(cuMemcpyHtoDAsync_v2_ptsz, stream, hStream);
  EXPECT_DRIVER_PLACE(cuMemcpyDtoHAsync_v2, stream, hStream);
  EXPECT_DRIVER_PLACE(cuMemcpyDtoHAsync_v2, value, ByteCount);
  EXPECT_DRIVER_PLACE(cuMemcpyDtoDAsync_v2, stream, hStream);
  EXPECT_DRIVER_PLACE(cuMemcpyDtoDAsync_v2, value, ByteCount);
  EXPECT_DRIVER_PLACE(cuMemcpyPeerAsync, stream, hStream);
  EXPECT_DRIVER_PLACE(cuMemcpyPeerAsync, value, ByteCount);
  EXPECT_DRIVER_PLACE(cuMemsetD8Async, stream, hStream);
  EXPECT_DRIVER_PLACE(cuMemsetD8Async, value, N);
  EXPECT_DRIVER_PLACE(cuMemsetD16Async, stream, hStream);
  EXPECT_DRIVER_PLACE(cuMemsetD32Async, stream, hStream);
  EXPECT_DRIVER_PLACE(cuMemsetD2D8Async, stream, hStream);
  EXPECT_DRIVER_PLACE(cuMemsetD2D32Async, stream, hStream);
  EXPECT_DRIVER_PLACE(cuStreamSynchronize, stream, hStream);
  EXPECT_DRIVER_PLACE(cuStreamSynchronize_ptsz, stream, hStream);
  EXPECT_DRIVER_PLACE(cuEventRecord, stream, hStream);
  EXPECT_DRIVER_PLACE(cuEventRecord, value, hEvent);
  EXPECT_DRIVER_PLACE(cuEventRecord_ptsz, stream, hStream);
  EXPECT_DRIVER_PLACE(cuEventRecordWithFlags, stream, hStream);
  EXPECT_DRIVER_PLACE(cuEventRecordWithFlags, value, hEvent);
  EXPECT_DRIVER_PLACE(cuStreamWaitEvent, stream, hStream);
  EXPECT_DRIVER_PLACE(cuStreamWaitEvent, value, hEvent);
  EXPECT_DRIVER_PLACE(cuStreamWaitEvent_ptsz, stream, hStream);
}

TEST(ApiHeaders, LaunchConfigurationsHoldTheirStreamInOnePlace) {
  EXPECT_EQ(offsetof(cudaLaunchConfig_t, stream), 32U);
  EXPECT_EQ(offsetof(CUlaunchConfig, hStream), 32U);
}

TEST(ApiHeaders, DriverCallsHaveTheirIds) {
  const auto is = [](std::uint32_t id, const char* name) {
    const ApiFunction* function = find(Domain::driver, id);
    return function != nullptr && std::string(function->name) == name;
  };
  EXPECT_TRUE(is(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, "cuLaunchKernel"));
  EXPECT_TRUE(is(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, "cuLaunchKernelEx"));
  EXPECT_TRUE(is(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, "cuGraphLaunch"));
  EXPECT_TRUE(is(CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2, "cuMemcpyHtoDAsync"));
  EXPECT_TRUE(is(CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync_v2, "cuMemcpyDtoHAsync"));
  EXPECT_TRUE(is(CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async, "cuMemsetD8Async"));
  EXPECT_TRUE(is(CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize, "cuStreamSynchronize"));
  EXPECT_TRUE(is(CUPTI_DRIVER_TRACE_CBID_cuEventRecord, "cuEventRecord"));
  EXPECT_TRUE(is(CUPTI_DRIVER_TRACE_CBID_cuStreamWaitEvent, "cuStreamWaitEvent"));
  EXPECT_TRUE(is(CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2, "cuMemAlloc"));
  EXPECT_TRUE(is(CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData, "cuLibraryLoadData"));
}

}  // namespace
}  // namespace stepscope::cupti
