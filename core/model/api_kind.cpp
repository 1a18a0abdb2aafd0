// SPDX-License-Identifier: Apache-2.0
#include "core/model/api_kind.hpp"

#include <array>

namespace stepscope {
namespace {

struct Rule {
  std::string_view prefix;
  ApiKind kind;
};

// First match wins: longer names come before their own prefixes.
constexpr std::array kRules = {
    Rule{"LaunchKernel", ApiKind::launch_kernel},
    Rule{"LaunchCooperativeKernel", ApiKind::launch_kernel},
    Rule{"LaunchGrid", ApiKind::launch_kernel},
    Rule{"LaunchHostFunc", ApiKind::launch_host},
    Rule{"Launch", ApiKind::launch_kernel},
    Rule{"ExtLaunch", ApiKind::launch_kernel},
    Rule{"ExtModuleLaunch", ApiKind::launch_kernel},
    Rule{"HccModuleLaunch", ApiKind::launch_kernel},
    Rule{"ModuleLaunch", ApiKind::launch_kernel},
    Rule{"GraphLaunch", ApiKind::launch_graph},
    Rule{"GraphInstantiate", ApiKind::graph_build},
    Rule{"GraphExecUpdate", ApiKind::graph_build},
    Rule{"StreamBeginCapture", ApiKind::graph_build},
    Rule{"StreamEndCapture", ApiKind::graph_build},
    Rule{"MemcpyPeerAsync", ApiKind::memcpy_async},
    Rule{"DeviceSynchronize", ApiKind::sync_device},
    Rule{"CtxSynchronize", ApiKind::sync_device},
    Rule{"ThreadSynchronize", ApiKind::sync_device},
    Rule{"StreamSynchronize", ApiKind::sync_stream},
    Rule{"EventSynchronize", ApiKind::sync_event},
    Rule{"EventRecord", ApiKind::event_record},
    Rule{"StreamWaitEvent", ApiKind::stream_wait_event},
    Rule{"EventQuery", ApiKind::event_query},
    Rule{"StreamQuery", ApiKind::event_query},
    Rule{"MallocAsync", ApiKind::alloc_async},
    Rule{"MallocFromPoolAsync", ApiKind::alloc_async},
    Rule{"MemAllocAsync", ApiKind::alloc_async},
    Rule{"MemAllocFromPoolAsync", ApiKind::alloc_async},
    Rule{"FreeAsync", ApiKind::alloc_async},
    Rule{"MemFreeAsync", ApiKind::alloc_async},
    Rule{"MallocHost", ApiKind::alloc_host},
    Rule{"HostAlloc", ApiKind::alloc_host},
    Rule{"HostRegister", ApiKind::alloc_host},
    Rule{"HostUnregister", ApiKind::alloc_host},
    Rule{"FreeHost", ApiKind::alloc_host},
    Rule{"MemHostAlloc", ApiKind::alloc_host},
    Rule{"MemAllocHost", ApiKind::alloc_host},
    Rule{"MemFreeHost", ApiKind::alloc_host},
    Rule{"MemHostRegister", ApiKind::alloc_host},
    Rule{"HostMalloc", ApiKind::alloc_host},
    Rule{"HostFree", ApiKind::alloc_host},
    Rule{"ExtMalloc", ApiKind::alloc_device},
    Rule{"Malloc", ApiKind::alloc_device},
    Rule{"MemAlloc", ApiKind::alloc_device},
    Rule{"MemCreate", ApiKind::alloc_device},
    Rule{"MemMap", ApiKind::alloc_device},
    Rule{"MemFree", ApiKind::free_device},
    Rule{"Free", ApiKind::free_device},
    Rule{"ModuleLoad", ApiKind::module_load},
    Rule{"LibraryLoad", ApiKind::module_load},
    Rule{"ModuleGetFunction", ApiKind::module_load},
    Rule{"KernelGetFunction", ApiKind::module_load},
    Rule{"FuncLoad", ApiKind::module_load},
    Rule{"Link", ApiKind::module_load},
    Rule{"ModuleUnload", ApiKind::module_load},
    Rule{"LibraryUnload", ApiKind::module_load},
    // Intel: unified runtime (ur), its predecessor (pi), Level Zero (ze)
    Rule{"EnqueueKernelLaunch", ApiKind::launch_kernel},
    Rule{"EnqueueCooperativeKernelLaunch", ApiKind::launch_kernel},
    Rule{"EnqueueCommandBuffer", ApiKind::launch_graph},
    Rule{"EnqueueUSMMemcpy", ApiKind::memcpy_async},
    Rule{"USMEnqueueMemcpy", ApiKind::memcpy_async},
    Rule{"EnqueueUSMFill", ApiKind::memset_async},
    Rule{"EnqueueUSMMemset", ApiKind::memset_async},
    Rule{"USMEnqueueFill", ApiKind::memset_async},
    Rule{"USMEnqueueMemset", ApiKind::memset_async},
    Rule{"EnqueueMemBufferFill", ApiKind::memset_async},
    Rule{"EnqueueMemBuffer", ApiKind::memcpy_async},
    Rule{"EnqueueEventsWait", ApiKind::stream_wait_event},
    Rule{"QueueFinish", ApiKind::sync_stream},
    Rule{"EventsWait", ApiKind::sync_event},
    Rule{"EventWait", ApiKind::sync_event},
    Rule{"USMHostAlloc", ApiKind::alloc_host},
    Rule{"USMDeviceAlloc", ApiKind::alloc_device},
    Rule{"USMSharedAlloc", ApiKind::alloc_device},
    Rule{"USMFree", ApiKind::free_device},
    Rule{"Program", ApiKind::module_load},
    Rule{"CommandListAppendLaunch", ApiKind::launch_kernel},
    Rule{"CommandListAppendMemoryCopy", ApiKind::memcpy_async},
    Rule{"CommandListAppendMemoryFill", ApiKind::memset_async},
    Rule{"CommandListHostSynchronize", ApiKind::sync_stream},
    Rule{"CommandQueueSynchronize", ApiKind::sync_stream},
    Rule{"FenceHostSynchronize", ApiKind::sync_stream},
    Rule{"EventHostSynchronize", ApiKind::sync_event},
    Rule{"ModuleCreate", ApiKind::module_load},
    // Ascend, Cambricon, Habana
    Rule{"SynchronizeStream", ApiKind::sync_stream},
    Rule{"SynchronizeDevice", ApiKind::sync_device},
    Rule{"SynchronizeEvent", ApiKind::sync_event},
    Rule{"RecordEvent", ApiKind::event_record},
    Rule{"nn", ApiKind::launch_kernel},
    Rule{"opExecute", ApiKind::launch_kernel},
    Rule{"opCompileAndExecute", ApiKind::launch_kernel},
    Rule{"mdlExecute", ApiKind::launch_graph},
    Rule{"mdlRIExecute", ApiKind::launch_graph},
    Rule{"InvokeKernel", ApiKind::launch_kernel},
    Rule{"QueueSync", ApiKind::sync_stream},
    Rule{"SyncDevice", ApiKind::sync_device},
    Rule{"MemCopyAsync", ApiKind::memcpy_async},
    Rule{"DeviceMalloc", ApiKind::alloc_device},
};

// Each vendor's runtime and driver, longer ones before their own prefixes.
constexpr std::array<std::string_view, 15> kPrefixes = {"hip", "cuda",  "cu",  "musa",  "mu",
                                                        "mc",  "aclrt", "acl", "cnrt",  "cn",
                                                        "syn", "ur",    "ze",  "piext", "pi"};

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// cudaMemcpyAsync, cuMemcpyHtoDAsync_v2, cudaMemcpy2DAsync: "Async" may stand anywhere after the
// stem.
ApiKind classify_copy(std::string_view stem) {
  const bool async = contains(stem, "Async");
  if (starts_with(stem, "Memset")) return async ? ApiKind::memset_async : ApiKind::memset_blocking;
  return async ? ApiKind::memcpy_async : ApiKind::memcpy_blocking;
}

// The name without its vendor's prefix; empty where it has none.
std::string_view stem_of(std::string_view name) {
  constexpr std::string_view kLayer = "AscendCL@";
  if (starts_with(name, kLayer)) name.remove_prefix(kLayer.size());
  for (const std::string_view prefix : kPrefixes)
    if (starts_with(name, prefix)) return name.substr(prefix.size());
  return {};
}

}  // namespace

ApiKind classify_api(std::string_view name) {
  const std::string_view stem = stem_of(name);
  if (starts_with(stem, "Memcpy") || starts_with(stem, "Memset")) return classify_copy(stem);
  for (const Rule& rule : kRules) {
    if (starts_with(stem, rule.prefix)) return rule.kind;
  }
  return ApiKind::other;
}

bool is_launch(ApiKind kind) {
  return kind >= ApiKind::launch_kernel && kind <= ApiKind::memset_blocking;
}

bool is_sync(ApiKind kind) {
  return kind >= ApiKind::sync_device && kind <= ApiKind::sync_event;
}

}  // namespace stepscope
