// SPDX-License-Identifier: Apache-2.0
// Our declarations against the real headers of CUPTI.
#include "collectors/cupti/library/cupti_abi.hpp"

#include <gtest/gtest.h>

#include <climits>
#include <type_traits>

#include "tests/collectors/cupti/newest_records.hpp"

namespace stepscope::cupti {
namespace {

#define EXPECT_FIELD(Ours, ours, Theirs, theirs)             \
  EXPECT_EQ(offsetof(Ours, ours), offsetof(Theirs, theirs)); \
  EXPECT_EQ(sizeof(Ours::ours), sizeof(std::declval<Theirs>().theirs))

TEST(CuptiAbi, CallbackDataHasItsFields) {
  EXPECT_FIELD(CallbackData, site, CUpti_CallbackData, callbackSite);
  EXPECT_FIELD(CallbackData, function_name, CUpti_CallbackData, functionName);
  EXPECT_FIELD(CallbackData, function_params, CUpti_CallbackData, functionParams);
  EXPECT_FIELD(CallbackData, context, CUpti_CallbackData, context);
  EXPECT_FIELD(CallbackData, context_uid, CUpti_CallbackData, contextUid);
  EXPECT_FIELD(CallbackData, correlation_data, CUpti_CallbackData, correlationData);
  EXPECT_FIELD(CallbackData, correlation_id, CUpti_CallbackData, correlationId);
  EXPECT_EQ(sizeof(CallbackData), sizeof(CUpti_CallbackData));
  EXPECT_FIELD(ResourceData, stream, CUpti_ResourceData, resourceHandle);
  EXPECT_FIELD(ResourceData, descriptor, CUpti_ResourceData, resourceDescriptor);
  EXPECT_FIELD(GraphData, node, CUpti_GraphData, node);
  EXPECT_FIELD(GraphData, original_node, CUpti_GraphData, originalNode);
  EXPECT_EQ(sizeof(GraphData), sizeof(CUpti_GraphData));
  EXPECT_EQ(CUPTI_API_ENTER, 0);
  EXPECT_EQ(CUPTI_API_EXIT, 1);
}

TEST(CuptiAbi, KernelRecordHasItsFields) {
  using Theirs = TheirKernel;
  EXPECT_FIELD(KernelRecord, registers_per_thread, Theirs, registersPerThread);
  EXPECT_FIELD(KernelRecord, start, Theirs, start);
  EXPECT_FIELD(KernelRecord, end, Theirs, end);
  EXPECT_FIELD(KernelRecord, device, Theirs, deviceId);
  EXPECT_FIELD(KernelRecord, context, Theirs, contextId);
  EXPECT_FIELD(KernelRecord, stream, Theirs, streamId);
  EXPECT_EQ(offsetof(KernelRecord, grid), offsetof(Theirs, gridX));
  EXPECT_EQ(offsetof(KernelRecord, block), offsetof(Theirs, blockX));
  EXPECT_FIELD(KernelRecord, static_shared_memory, Theirs, staticSharedMemory);
  EXPECT_FIELD(KernelRecord, dynamic_shared_memory, Theirs, dynamicSharedMemory);
  EXPECT_FIELD(KernelRecord, correlation, Theirs, correlationId);
  EXPECT_FIELD(KernelRecord, name, Theirs, name);
  EXPECT_FIELD(KernelRecord, graph_node, Theirs, graphNodeId);
  EXPECT_FIELD(KernelRecord, graph, Theirs, graphId);
}

TEST(CuptiAbi, CopyAndSetRecordsHaveTheirFields) {
  EXPECT_FIELD(MemcpyRecord, copy_kind, TheirMemcpy, copyKind);
  EXPECT_FIELD(MemcpyRecord, source_kind, TheirMemcpy, srcKind);
  EXPECT_FIELD(MemcpyRecord, target_kind, TheirMemcpy, dstKind);
  EXPECT_FIELD(MemcpyRecord, bytes, TheirMemcpy, bytes);
  EXPECT_FIELD(MemcpyRecord, start, TheirMemcpy, start);
  EXPECT_FIELD(MemcpyRecord, stream, TheirMemcpy, streamId);
  EXPECT_FIELD(MemcpyRecord, correlation, TheirMemcpy, correlationId);
  EXPECT_FIELD(MemcpyRecord, graph_node, TheirMemcpy, graphNodeId);
  EXPECT_FIELD(MemcpyRecord, graph, TheirMemcpy, graphId);
  EXPECT_FIELD(PeerCopyRecord, stream, CUpti_ActivityMemcpyPtoP4, streamId);
  EXPECT_FIELD(PeerCopyRecord, correlation, CUpti_ActivityMemcpyPtoP4, correlationId);
  EXPECT_FIELD(PeerCopyRecord, graph_node, CUpti_ActivityMemcpyPtoP4, graphNodeId);
  EXPECT_FIELD(PeerCopyRecord, graph, CUpti_ActivityMemcpyPtoP4, graphId);
  EXPECT_FIELD(MemsetRecord, bytes, TheirMemset, bytes);
  EXPECT_FIELD(MemsetRecord, start, TheirMemset, start);
  EXPECT_FIELD(MemsetRecord, stream, TheirMemset, streamId);
  EXPECT_FIELD(MemsetRecord, correlation, TheirMemset, correlationId);
  EXPECT_FIELD(MemsetRecord, memory_kind, TheirMemset, memoryKind);
  EXPECT_FIELD(MemsetRecord, graph_node, TheirMemset, graphNodeId);
  EXPECT_FIELD(OverheadRecord, overhead_kind, CUpti_ActivityOverhead3, overheadKind);
  EXPECT_EQ(offsetof(OverheadRecord, object_id), offsetof(CUpti_ActivityOverhead3, objectId));
  EXPECT_FIELD(OverheadRecord, start, CUpti_ActivityOverhead3, start);
  EXPECT_FIELD(OverheadRecord, end, CUpti_ActivityOverhead3, end);
}

TEST(CuptiAbi, GraphRecordHasItsFields) {
  using Theirs = CUpti_ActivityGraphTrace2;
  EXPECT_FIELD(GraphRecord, correlation, Theirs, correlationId);
  EXPECT_FIELD(GraphRecord, start, Theirs, start);
  EXPECT_FIELD(GraphRecord, end, Theirs, end);
  EXPECT_FIELD(GraphRecord, device, Theirs, deviceId);
  EXPECT_FIELD(GraphRecord, graph, Theirs, graphId);
  EXPECT_FIELD(GraphRecord, context, Theirs, contextId);
  EXPECT_FIELD(GraphRecord, stream, Theirs, streamId);
  EXPECT_FIELD(GraphRecord, end_device, Theirs, endDeviceId);
  EXPECT_FIELD(GraphRecord, end_context, Theirs, endContextId);
  EXPECT_EQ(sizeof(GraphRecord), sizeof(Theirs));
  EXPECT_EQ(static_cast<int>(ActivityKind::graph_trace), CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  EXPECT_EQ(kOnHost, static_cast<std::uint32_t>(INT_MAX));
}

#if CUPTI_API_VERSION >= 130000  // asked for since then
TEST(CuptiAbi, JitRecordHasItsFields) {
  EXPECT_FIELD(JitRecord, entry, CUpti_ActivityJit2, jitEntryType);
  EXPECT_FIELD(JitRecord, operation, CUpti_ActivityJit2, jitOperationType);
  EXPECT_FIELD(JitRecord, start, CUpti_ActivityJit2, start);
  EXPECT_FIELD(JitRecord, end, CUpti_ActivityJit2, end);
  EXPECT_FIELD(JitRecord, thread, CUpti_ActivityJit2, threadId);
  EXPECT_EQ(sizeof(JitRecord), sizeof(CUpti_ActivityJit2));
  EXPECT_EQ(static_cast<int>(ActivityKind::jit), CUPTI_ACTIVITY_KIND_JIT);
  EXPECT_EQ(kJitCacheLoad, CUPTI_ACTIVITY_JIT_OPERATION_CACHE_LOAD);
  EXPECT_EQ(kJitCacheStore, CUPTI_ACTIVITY_JIT_OPERATION_CACHE_STORE);
  EXPECT_EQ(kJitCompile, CUPTI_ACTIVITY_JIT_OPERATION_COMPILE);
}
#endif

TEST(CuptiAbi, RecordsForAGuestHaveTheirTimesThere) {
  EXPECT_FIELD(CallRecord, start, CUpti_ActivityAPI, start);
  EXPECT_FIELD(CallRecord, end, CUpti_ActivityAPI, end);
  EXPECT_FIELD(CallRecord, start, TheirSynchronization, start);
  EXPECT_FIELD(CallRecord, end, TheirSynchronization, end);
  EXPECT_FIELD(CallRecord, start, CUpti_ActivityGraphTrace2, start);
  EXPECT_FIELD(CallRecord, end, CUpti_ActivityGraphTrace2, end);
  EXPECT_FIELD(CallRecord, start, CUpti_ActivityMarker2, timestamp);
#if CUPTI_API_VERSION >= 26  // 12.8: records of events with times are new
  EXPECT_FIELD(EventRecord, device_time, TheirEvent, deviceTimestamp);
#endif
  EXPECT_FIELD(KernelRecord, completed, TheirKernel, completed);
  EXPECT_FIELD(KernelRecord, queued, TheirKernel, queued);
  EXPECT_FIELD(KernelRecord, submitted, TheirKernel, submitted);
}

TEST(CuptiAbi, NumbersAreTheirs) {
  EXPECT_EQ(kInvalidParameter, CUPTI_ERROR_INVALID_PARAMETER);
  EXPECT_EQ(kMaxLimitReached, CUPTI_ERROR_MAX_LIMIT_REACHED);
  EXPECT_EQ(kNotInitialized, CUPTI_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(kInsufficientPrivileges, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
  EXPECT_EQ(kMultipleSubscribers, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  EXPECT_EQ(kVirtualizedNoPrivileges, CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES);
  EXPECT_EQ(static_cast<int>(Domain::driver), CUPTI_CB_DOMAIN_DRIVER_API);
  EXPECT_EQ(static_cast<int>(Domain::runtime), CUPTI_CB_DOMAIN_RUNTIME_API);
  EXPECT_EQ(static_cast<int>(Domain::resource), CUPTI_CB_DOMAIN_RESOURCE);
  EXPECT_EQ(static_cast<int>(Domain::state), CUPTI_CB_DOMAIN_STATE);
  EXPECT_EQ(kStreamDestroyStarting, CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING);
  EXPECT_EQ(kContextDestroyStarting, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
  EXPECT_EQ(kGraphNodeCreated, CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED);
  EXPECT_EQ(kGraphNodeCloned, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED);
  EXPECT_EQ(kFatalError, CUPTI_CBID_STATE_FATAL_ERROR);
  EXPECT_EQ(kRuntimeProfilerStart, CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStart_v4000);
  EXPECT_EQ(kRuntimeProfilerStop, CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStop_v4000);
  EXPECT_EQ(kDriverProfilerStart, CUPTI_DRIVER_TRACE_CBID_cuProfilerStart);
  EXPECT_EQ(kDriverProfilerStop, CUPTI_DRIVER_TRACE_CBID_cuProfilerStop);
  EXPECT_EQ(static_cast<int>(ActivityKind::memcpy), CUPTI_ACTIVITY_KIND_MEMCPY);
  EXPECT_EQ(static_cast<int>(ActivityKind::memset), CUPTI_ACTIVITY_KIND_MEMSET);
  EXPECT_EQ(static_cast<int>(ActivityKind::concurrent_kernel),
            CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  EXPECT_EQ(static_cast<int>(ActivityKind::overhead), CUPTI_ACTIVITY_KIND_OVERHEAD);
  EXPECT_EQ(static_cast<int>(ActivityKind::memcpy_peer), CUPTI_ACTIVITY_KIND_MEMCPY2);
  EXPECT_EQ(kMemoryPinned, CUPTI_ACTIVITY_MEMORY_KIND_PINNED);
  EXPECT_EQ(kMemoryManagedStatic, CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC);
  EXPECT_EQ(kCopyPeer, CUPTI_ACTIVITY_MEMCPY_KIND_PTOP);
  EXPECT_EQ(kCopyArrayToDevice, CUPTI_ACTIVITY_MEMCPY_KIND_ATOD);
  EXPECT_EQ(kFlushAll, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  EXPECT_EQ(kThreadIdSystem, CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
}

}  // namespace
}  // namespace stepscope::cupti
