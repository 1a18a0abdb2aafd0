// SPDX-License-Identifier: Apache-2.0
// What a call of a device's API does, read off its name: CUDA's runtime and driver (with the
// suffixes _v2, _ptsz, _v7000 and the like that CUPTI and Kineto print), and those of AMD, Intel,
// Ascend, Habana, Cambricon, Moore Threads and MetaX. The one place that knows these names.
#pragma once

#include <cstdint>
#include <string_view>

namespace stepscope {

enum class ApiKind : std::uint8_t {
  other,          // queries, attributes, handles: never waits for the device
  launch_kernel,  // cudaLaunchKernel, cuLaunchKernelEx, ...
  launch_graph,   // cudaGraphLaunch
  launch_host,    // cudaLaunchHostFunc: a callback in stream order
  memcpy_async,
  memcpy_blocking,  // cudaMemcpy: returns when the copy is done (see the pageable rules in
                    // attribution)
  memset_async,
  memset_blocking,
  sync_device,  // cudaDeviceSynchronize, cuCtxSynchronize
  sync_stream,
  sync_event,
  event_record,
  stream_wait_event,
  event_query,   // cudaEventQuery, cudaStreamQuery: a poll, returns at once
  alloc_device,  // cudaMalloc and the pool-less driver calls: may synchronise
  alloc_async,   // cudaMallocAsync, cudaFreeAsync: stream ordered
  free_device,
  alloc_host,   // cudaHostAlloc, cudaHostRegister and their frees
  module_load,  // cuModuleLoad*, cuLibraryLoad*, cuLink* (compiles), cuKernelGetFunction (may load
                // lazily), cuModuleUnload
  graph_build,  // capture, instantiate, update
};

ApiKind classify_api(std::string_view name);

// Calls that put one device operation into a stream.
bool is_launch(ApiKind kind);
// Calls that return only when device work is done.
bool is_sync(ApiKind kind);

}  // namespace stepscope
