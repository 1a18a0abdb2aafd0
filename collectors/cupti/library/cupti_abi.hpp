// SPDX-License-Identifier: Apache-2.0
// The part of CUPTI's binary interface that is used, declared by us from its documentation, so that
// the injected library builds where no CUDA toolkit is and never links libcupti.
// tests/collectors/cupti compares every number here with the real headers.
//
// Records are the newest struct of the *loaded* library; newer ones only append, so that reading
// the fields declared here is right for every CUPTI from 12.0 on (graph node ids: Kernel7,
// Memcpy5, Memset4 and later). Times are CLOCK_REALTIME nanoseconds; 0 is "no time".
#pragma once

#include <cstddef>
#include <cstdint>

namespace stepscope::cupti {

using Status = int;  // CUptiResult
inline constexpr Status kSuccess = 0;
inline constexpr Status kInvalidParameter = 1;
// Returned by cuptiActivityGetNextRecord: no more records.
inline constexpr Status kMaxLimitReached = 12;
inline constexpr Status kNotInitialized = 15;  // CUPTI is newer than the driver
inline constexpr Status kInsufficientPrivileges = 35;
inline constexpr Status kMultipleSubscribers = 39;
inline constexpr Status kVirtualizedNoPrivileges = 40;

enum class Domain : std::uint32_t { driver = 1, runtime = 2, resource = 3, state = 6 };

// Callback ids of the resource and state domains.
enum : std::uint32_t {
  kContextCreated = 1,
  kContextDestroyStarting = 2,
  kStreamCreated = 3,
  kStreamDestroyStarting = 4,
  kModuleLoaded = 6,
  kGraphNodeCreated = 13,
  kGraphNodeCloned = 20,
  kFatalError = 1,
};

// Callback ids of calls that are no records.
inline constexpr std::uint32_t kRuntimeProfilerStart = 171, kRuntimeProfilerStop = 172;
inline constexpr std::uint32_t kDriverProfilerStart = 308, kDriverProfilerStop = 309;

struct CallbackData {
  std::uint32_t site;  // 0 entry, 1 exit
  const char* function_name;
  const void* function_params;
  void* return_value;
  const char* symbol_name;
  void* context;
  std::uint32_t context_uid;
  std::uint64_t* correlation_data;
  std::uint32_t correlation_id;
};

struct ResourceData {
  void* context;
  void* stream;
  void* descriptor;
};

// A graph's callbacks hand it over as the descriptor of ResourceData.
struct GraphData {
  void* graph;
  void* original_graph;
  void* node;
  void* original_node;
  std::uint32_t node_type;
  void* dependency;
  void* executable;
};

using Subscriber = void*;
using Callback = void (*)(void* user, std::uint32_t domain, std::uint32_t id, const void* data);
using RequestBuffer = void (*)(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records);
using CompleteBuffer = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer,
                                std::size_t size, std::size_t valid_size);

enum class ActivityKind : std::uint32_t {
  memcpy = 1,
  memset = 2,
  kernel = 3,
  driver = 4,
  runtime = 5,
  concurrent_kernel = 10,
  marker = 12,
  overhead = 17,
  memcpy_peer = 22,
  cuda_event = 36,
  synchronization = 38,
  external_correlation = 39,
  graph_trace = 51,
  jit = 52,
};

inline constexpr std::uint32_t kFlushCompleted = 0;  // only buffers whose records are complete
inline constexpr std::uint32_t kFlushAll = 1;        // records still running come without an end
inline constexpr std::uint32_t kThreadIdSystem = 1;  // gettid()

#pragma pack(push, 8)
struct KernelRecord {
  ActivityKind kind;
  std::uint8_t cache_config;
  std::uint8_t shared_memory_config;
  std::uint16_t registers_per_thread;
  std::uint32_t partitioned_cache[2];
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t completed;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::int32_t grid[3];
  std::int32_t block[3];
  std::int32_t static_shared_memory;
  std::int32_t dynamic_shared_memory;
  std::uint32_t local_memory_per_thread;
  std::uint32_t local_memory_total;
  std::uint32_t correlation;
  std::int64_t grid_id;
  const char* name;
  void* reserved;
  std::uint64_t queued;
  std::uint64_t submitted;
  std::uint8_t launch_type;
  std::uint8_t carveout[2];
  std::uint8_t padding;
  std::uint32_t shared_memory_executed;
  std::uint64_t graph_node;
  std::uint32_t shared_memory_limit;
  std::uint32_t graph;
};

struct MemcpyRecord {
  ActivityKind kind;
  std::uint8_t copy_kind;
  std::uint8_t source_kind;
  std::uint8_t target_kind;
  std::uint8_t flags;
  std::uint64_t bytes;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t correlation;
  std::uint32_t runtime_correlation;
  std::uint32_t padding;
  void* reserved;
  std::uint64_t graph_node;
  std::uint32_t graph;
};

struct PeerCopyRecord {
  ActivityKind kind;
  std::uint8_t copy_kind;
  std::uint8_t source_kind;
  std::uint8_t target_kind;
  std::uint8_t flags;
  std::uint64_t bytes;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t source_device;
  std::uint32_t source_context;
  std::uint32_t target_device;
  std::uint32_t target_context;
  std::uint32_t correlation;
  void* reserved;
  std::uint64_t graph_node;
  std::uint32_t graph;
};

struct MemsetRecord {
  ActivityKind kind;
  std::uint32_t value;
  std::uint64_t bytes;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t correlation;
  std::uint16_t flags;
  std::uint16_t memory_kind;
  std::uint32_t padding;
  void* reserved;
  std::uint64_t graph_node;
  std::uint32_t graph;
};

// Calls; waits, graph launches and markers have their (first) time at the same place.
struct CallRecord {
  ActivityKind kind;
  std::uint32_t id;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t process;
  std::uint32_t thread;
  std::uint32_t correlation;
  std::uint32_t return_value;
};

struct EventRecord {
  ActivityKind kind;
  std::uint32_t correlation;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t event;
  std::uint32_t padding;
  std::uint32_t device;
  std::uint32_t more_padding;
  void* reserved;
  std::uint64_t device_time;
  std::uint64_t synchronization;
};

// A launch of a graph as a whole, from its first node's begin to its last one's end.
struct GraphRecord {
  ActivityKind kind;
  std::uint32_t correlation;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t device;  // kOnHost: the first node is one of the host's
  std::uint32_t graph;
  std::uint32_t context;
  std::uint32_t stream;
  void* reserved;
  std::uint32_t end_device;  // since CUPTI 12.3, as what follows
  std::uint32_t end_context;
};

struct OverheadRecord {  // CUPTI 12.2 and later
  ActivityKind kind;
  std::uint32_t overhead_kind;
  std::uint32_t object_kind;
  std::uint32_t object_id[3];  // for a thread: process id, thread id
  std::uint64_t start;
  std::uint64_t end;
};
struct JitRecord {  // CUPTI 13.0 and later
  ActivityKind kind;
  std::uint32_t entry;      // 1: PTX to cubin, 2: NVVM to PTX
  std::uint32_t operation;  // an operation of the compute cache, or a compilation
  std::uint32_t device;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t correlation;
  std::uint32_t padding;
  std::uint64_t operation_correlation;
  std::uint64_t cache_bytes;
  const char* cache_path;
  std::uint32_t process;
  std::uint32_t thread;
};
#pragma pack(pop)

inline constexpr std::uint32_t kOnHost = 0x7fffffff;

enum : std::uint32_t { kJitCacheLoad = 1, kJitCacheStore = 2, kJitCompile = 3 };

// What memory a copy's end is in, as CUPTI counts.
enum : std::uint8_t {
  kMemoryPageable = 1,
  kMemoryPinned = 2,
  kMemoryDevice = 3,
  kMemoryArray = 4,
  kMemoryManaged = 5,
  kMemoryDeviceStatic = 6,
  kMemoryManagedStatic = 7,
};

enum : std::uint8_t {
  kCopyHostToDevice = 1,
  kCopyDeviceToHost = 2,
  kCopyHostToArray = 3,
  kCopyArrayToHost = 4,
  kCopyArrayToArray = 5,
  kCopyArrayToDevice = 6,
  kCopyDeviceToArray = 7,
  kCopyDeviceToDevice = 8,
  kCopyHostToHost = 9,
  kCopyPeer = 10,
};

}  // namespace stepscope::cupti
