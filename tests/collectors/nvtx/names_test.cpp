// SPDX-License-Identifier: Apache-2.0
// Left out where CUDA's own headers are missing, as beside the PyPI package of NVTX.
#if __has_include(<cuda.h>) && __has_include(<driver_types.h>)
#include <gtest/gtest.h>
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>

#include "tests/collectors/nvtx/nvtx_client.hpp"

namespace stepscope {
namespace {

using NvtxNames = NvtxClient;

TEST_F(NvtxNames, NamesBecomeLabels) {
  int object = 0;
  const auto address = reinterpret_cast<std::uintptr_t>(&object);
  nvtxNameOsThreadA(1234, "loader");
  nvtxNameCategoryA(3, "io");
  nvtxDomainHandle_t domain = nvtxDomainCreateA("labelled");
  nvtxDomainNameCategoryW(domain, 3, L"compute");
  nvtxNameCudaStreamA(reinterpret_cast<cudaStream_t>(&object), "copies");
  nvtxNameCudaEventW(reinterpret_cast<cudaEvent_t>(&object), L"done");
  nvtxNameCudaDeviceA(1, "second");
  nvtxNameCuContextA(reinterpret_cast<CUcontext>(&object), "primary");
  nvtxNameCuStreamW(reinterpret_cast<CUstream>(&object), L"driver stream");
  nvtxResourceAttributes_t resource{};
  resource.version = NVTX_VERSION;
  resource.size = NVTX_RESOURCE_ATTRIB_STRUCT_SIZE;
  resource.identifierType = NVTX_RESOURCE_TYPE_CUDART_STREAM;
  resource.identifier.pValue = &object;
  resource.messageType = NVTX_MESSAGE_TYPE_ASCII;
  resource.message.ascii = "as resource";
  nvtxResourceHandle_t handle = nvtxDomainResourceCreate(domain, &resource);
  EXPECT_NE(handle, nullptr);
  nvtxDomainResourceDestroy(handle);
  using recorder::LabelKind;
  const auto labels = only(What::label);
  ASSERT_EQ(labels.size(), 9u);
  const auto expect = [&](std::size_t i, LabelKind kind, std::uint64_t id, const char* name) {
    EXPECT_EQ(labels[i].label, kind) << i;
    EXPECT_EQ(labels[i].id, id) << i;
    EXPECT_EQ(labels[i].name, name) << i;
  };
  expect(0, LabelKind::thread, 1234, "loader");
  expect(1, LabelKind::category, 3, "io");
  EXPECT_NE(labels[2].id, 3u);
  EXPECT_EQ(labels[2].id & 0xFFFFFFFF, 3u);
  expect(3, LabelKind::cuda_stream, address, "copies");
  expect(4, LabelKind::cuda_event, address, "done");
  expect(5, LabelKind::cuda_device, 1, "second");
  expect(6, LabelKind::cuda_context, address, "primary");
  expect(7, LabelKind::cuda_stream, address, "driver stream");
  expect(8, LabelKind::cuda_stream, address, "as resource");
}

}  // namespace
}  // namespace stepscope
#endif
