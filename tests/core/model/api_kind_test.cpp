// SPDX-License-Identifier: Apache-2.0
#include "core/model/api_kind.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace stepscope {
namespace {

TEST(ApiKind, RuntimeAndDriverNamesOfTheSameCallAgree) {
  EXPECT_EQ(classify_api("cudaLaunchKernel"), ApiKind::launch_kernel);
  EXPECT_EQ(classify_api("cudaLaunchKernelExC_v11060"), ApiKind::launch_kernel);
  EXPECT_EQ(classify_api("cuLaunchKernelEx"), ApiKind::launch_kernel);
  EXPECT_EQ(classify_api("cudaGraphLaunch_v10000"), ApiKind::launch_graph);
  EXPECT_EQ(classify_api("cuGraphLaunch"), ApiKind::launch_graph);
  EXPECT_EQ(classify_api("cuMemcpyHtoDAsync_v2"), ApiKind::memcpy_async);
  EXPECT_EQ(classify_api("cudaMemcpy2D"), ApiKind::memcpy_blocking);
  EXPECT_EQ(classify_api("cuMemsetD32Async"), ApiKind::memset_async);
  EXPECT_EQ(classify_api("cudaMemset"), ApiKind::memset_blocking);
  EXPECT_EQ(classify_api("cuCtxSynchronize"), ApiKind::sync_device);
}

// Those that the collector records by the one or the other name, as the level is.
TEST(ApiKind, CallsThatAreLeftToTheDriverMeanTheSame) {
  constexpr std::pair<const char*, const char*> kCalls[] = {
      {"cudaLaunchKernel", "cuLaunchKernel"},
      {"cudaLaunchKernelExC", "cuLaunchKernelEx"},
      {"cudaGraphLaunch", "cuGraphLaunch"},
      {"cudaMemcpyAsync", "cuMemcpyAsync"},
      {"cudaMemcpyAsync", "cuMemcpyHtoDAsync"},
      {"cudaMemcpyAsync", "cuMemcpyDtoHAsync"},
      {"cudaMemcpyAsync", "cuMemcpyDtoDAsync"},
      {"cudaMemcpyAsync", "cuMemcpyPeerAsync"},
      {"cudaMemsetAsync", "cuMemsetD8Async"},
      {"cudaMemsetAsync", "cuMemsetD16Async"},
      {"cudaMemsetAsync", "cuMemsetD32Async"},
      {"cudaMemsetAsync", "cuMemsetD2D8Async"},
      {"cudaStreamSynchronize", "cuStreamSynchronize"},
      {"cudaEventRecord", "cuEventRecord"},
      {"cudaEventRecord", "cuEventRecordWithFlags"},
      {"cudaStreamWaitEvent", "cuStreamWaitEvent"}};
  for (const auto& [runtime, driver] : kCalls) {
    EXPECT_NE(classify_api(runtime), ApiKind::other) << runtime;
    EXPECT_EQ(classify_api(runtime), classify_api(driver)) << driver;
  }
}

TEST(ApiKind, LongNamesAreNotMistakenForTheirPrefixes) {
  EXPECT_EQ(classify_api("cudaMallocHost"), ApiKind::alloc_host);
  EXPECT_EQ(classify_api("cudaMallocAsync"), ApiKind::alloc_async);
  EXPECT_EQ(classify_api("cudaMalloc"), ApiKind::alloc_device);
  EXPECT_EQ(classify_api("cudaFreeHost"), ApiKind::alloc_host);
  EXPECT_EQ(classify_api("cudaFree"), ApiKind::free_device);
  EXPECT_EQ(classify_api("cudaLaunchHostFunc"), ApiKind::launch_host);
  EXPECT_EQ(classify_api("cudaStreamWaitEvent"), ApiKind::stream_wait_event);
}

TEST(ApiKind, CallsOfAmdAreKnown) {
  for (const char* name : {"hipLaunchKernel", "hipExtLaunchKernel", "hipModuleLaunchKernel",
                           "hipExtModuleLaunchKernel", "hipLaunchCooperativeKernel"})
    EXPECT_EQ(classify_api(name), ApiKind::launch_kernel) << name;
  EXPECT_EQ(classify_api("hipGraphLaunch"), ApiKind::launch_graph);
  EXPECT_EQ(classify_api("hipMemcpyAsync"), ApiKind::memcpy_async);
  EXPECT_EQ(classify_api("hipMemcpyWithStream"), ApiKind::memcpy_blocking);
  EXPECT_EQ(classify_api("hipStreamSynchronize"), ApiKind::sync_stream);
  EXPECT_EQ(classify_api("hipModuleLoadData"), ApiKind::module_load);
  EXPECT_EQ(classify_api("hipMalloc"), ApiKind::alloc_device);
  EXPECT_EQ(classify_api("hipHostMalloc"), ApiKind::alloc_host);
}

TEST(ApiKind, CallsOfOtherVendorsAreKnown) {
  for (const char* name :
       {"urEnqueueKernelLaunchWithArgsExp", "zeCommandListAppendLaunchKernel",
        "piEnqueueKernelLaunch", "AscendCL@aclnnMatmul", "aclopCompileAndExecuteV2",
        "aclrtLaunchKernelWithConfig", "synLaunchExt", "cnrtInvokeKernel", "musaLaunchKernel",
        "mcLaunchKernel"})
    EXPECT_EQ(classify_api(name), ApiKind::launch_kernel) << name;
  for (const char* name : {"urEnqueueUSMMemcpy", "piextUSMEnqueueMemcpy", "aclrtMemcpyAsync",
                           "zeCommandListAppendMemoryCopy", "synMemCopyAsync", "cnrtMemcpyAsync"})
    EXPECT_EQ(classify_api(name), ApiKind::memcpy_async) << name;
  for (const char* name : {"urQueueFinish", "zeCommandQueueSynchronize", "synStreamSynchronize",
                           "AscendCL@aclrtSynchronizeStreamWithTimeout", "cnrtQueueSync"})
    EXPECT_EQ(classify_api(name), ApiKind::sync_stream) << name;
  EXPECT_EQ(classify_api("aclrtSynchronizeDevice"), ApiKind::sync_device);
  EXPECT_EQ(classify_api("urEnqueueUSMFill"), ApiKind::memset_async);
  EXPECT_EQ(classify_api("urEventWait"), ApiKind::sync_event);
  EXPECT_EQ(classify_api("urUSMHostAlloc"), ApiKind::alloc_host);
}

TEST(ApiKind, LoadingIsTheCallsThatMayCompileOrLoad) {
  EXPECT_EQ(classify_api("cuModuleLoadDataEx"), ApiKind::module_load);
  EXPECT_EQ(classify_api("cudaLibraryLoadData"), ApiKind::module_load);
  EXPECT_EQ(classify_api("cuLinkAddData_v2"), ApiKind::module_load);
  EXPECT_EQ(classify_api("cuModuleGetFunction"), ApiKind::module_load);
  EXPECT_EQ(classify_api("cuModuleGetGlobal"), ApiKind::other);
}

TEST(ApiKind, QueriesAndForeignNamesAreOther) {
  EXPECT_EQ(classify_api("cudaFuncGetAttributes"), ApiKind::other);
  EXPECT_EQ(classify_api("cudaStreamIsCapturing"), ApiKind::other);
  EXPECT_EQ(classify_api("hiprtcCompileProgram"), ApiKind::other);
  EXPECT_EQ(classify_api("vkQueueSubmit"), ApiKind::other);
  EXPECT_EQ(classify_api(""), ApiKind::other);
}

TEST(ApiKind, LaunchesAndSyncsAreDisjoint) {
  EXPECT_TRUE(is_launch(ApiKind::memset_async));
  EXPECT_TRUE(is_launch(ApiKind::launch_graph));
  EXPECT_FALSE(is_launch(ApiKind::sync_stream));
  EXPECT_TRUE(is_sync(ApiKind::sync_event));
  EXPECT_FALSE(is_sync(ApiKind::event_query));
}

}  // namespace
}  // namespace stepscope
