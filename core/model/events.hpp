// SPDX-License-Identifier: Apache-2.0
// The event columns of a trace: one struct of equally long vectors a table, a row an event.
//
//   host ranges   anything a host thread did between two times: op, user range, Python function, ...
//   calls         the CUDA API calls among the host ranges, with what they were called with
//   collectives   the communication calls among the host ranges, with their message
//   device ops    kernels, copies, sets and graph launches as the device ran them
//   graph nodes   how the nodes of CUDA graphs came to be
//   syncs         waits as the device library recorded them (absent from most traces: see health)
//   counters      sampled values: clocks, power, memory
//   marks         instants
//   samples       where a thread was while it recorded nothing
//
// Units: nanoseconds (`_ns` is left out of begin, end and time: every time in the model is int64
// ns), bytes. kNone in an id column and kUnknownBytes in a byte column mean that the source did not
// say.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/model/api_kind.hpp"
#include "core/model/ids.hpp"

namespace stepscope {

inline constexpr std::uint64_t kUnknownBytes = ~std::uint64_t{0};
inline constexpr std::uint32_t kNoSequence = kNone;

enum class HostKind : std::uint8_t {
  op,             // RecordFunction FUNCTION scope, Kineto cpu_op
  backward_node,  // one autograd node's evaluation
  user_scope,     // record_function / RecordFunction USER scope, Kineto user_annotation
  nvtx_range,     // push/pop or start/end
  python_function,
  runtime_call,
  driver_call,
  overhead,  // the profiler's own work (CUPTI flush, lazy loading, ...)
  garbage_collection,
  off_cpu,  // the thread was not scheduled
  io,       // a blocking system call
  other,
};

// Ranges of one family nest within a thread; ranges of different families may cross each other.
enum class HostFamily : std::uint8_t { annotation, python, op, api, other };
HostFamily family_of(HostKind kind);

// Named by the program itself.
inline bool is_annotation(HostKind kind) {
  return kind == HostKind::user_scope || kind == HostKind::nvtx_range;
}

struct HostRanges {
  std::vector<std::int64_t> begin;
  std::vector<std::int64_t> end;
  std::vector<StringId> name;
  std::vector<ThreadId> thread;
  std::vector<HostKind> kind;
  std::vector<StringId>
      category;              // NVTX domain, Kineto category where it is not the kind; 0 = none
  std::vector<SiteId> site;  // call site of an op or call, own definition of a Python function
  // The thread's count of autograd nodes when the range began: an op is about to make that node, a
  // launch works for the node before it. A backward node has its own number. kNoSequence where it
  // is not known, or (launches) unchanged.
  std::vector<std::uint32_t> sequence;
  // PyTorch's own number of a thread: for a backward node that of its forward's thread, for a
  // launch its own.
  std::vector<std::uint32_t> forward_thread;  // or kNone
  std::vector<RangeId> parent;                // set by Trace::build: see trace.hpp

  std::size_t size() const { return begin.size(); }
};

struct Calls {
  std::vector<RangeId> range;  // the host range of this call
  std::vector<ApiKind> api;
  std::vector<std::uint32_t> correlation;  // 0 = none; rarely comes again (row_order.hpp)
  std::vector<StreamId> stream;      // what it was issued to; kNone where the source does not say
  std::vector<std::uint64_t> event;  // event handle of record, wait and synchronise; 0 = none
  std::vector<std::uint64_t> bytes;

  std::size_t size() const { return range.size(); }
};

enum class ReduceOperation : std::uint8_t { none, sum, product, maximum, minimum, average, other };

// Communication calls (NCCL) that said what they send. The operation is the range's name.
struct Collectives {
  std::vector<RangeId> range;               // the host range of this call
  std::vector<std::uint64_t> communicator;  // the library's hash of it; 0 = not said
  std::vector<std::uint64_t> bytes;         // message size as the call was given it
  std::vector<ReduceOperation> reduce;
  std::vector<std::uint32_t> peer;  // root, or the other rank of a send or receive; kNone = none
  // Among its process's collectives of that communicator (sends and receives: among those), from 0:
  // set by Trace::build. The n-th of one rank is the n-th of all.
  std::vector<std::uint32_t> ordinal;

  std::size_t size() const { return range.size(); }
};

enum class DeviceOpKind : std::uint8_t { kernel, memcpy, memset, graph, other };
enum class CopyKind : std::uint8_t {
  none,
  host_to_device,
  device_to_host,
  device_to_device,
  host_to_host,
  peer
};
enum class MemoryKind : std::uint8_t { unknown, pageable, pinned, device, array, managed };

struct DeviceOps {
  std::vector<std::int64_t> begin;
  std::vector<std::int64_t> end;
  std::vector<StringId> name;
  std::vector<DeviceOpKind> kind;
  std::vector<StreamId> stream;
  std::vector<std::uint32_t> correlation;
  std::vector<std::uint32_t> graph;       // CUDA graph id or 0
  std::vector<std::uint64_t> graph_node;  // node id or 0
  std::vector<std::uint64_t> bytes;       // copies and sets
  std::vector<CopyKind> copy_kind;
  std::vector<MemoryKind> source_memory;
  std::vector<MemoryKind> target_memory;
  std::vector<LaunchConfigId> launch_config;

  std::size_t size() const { return begin.size(); }
};

// Nodes of CUDA graphs, a row each time one is made: anew, by a capture or by hand, or as the clone
// of another. The nodes of an executable graph are clones, those of a child graph even twice; a
// device op names the node that it ran. Ids are unique within a process.
struct GraphNodes {
  std::vector<std::int64_t> time;
  std::vector<std::uint64_t> node;
  std::vector<std::uint64_t> original;  // the node that it is a clone of; 0 = made anew
  std::vector<ThreadId> thread;         // the thread that made the node
  std::vector<SiteId> site;             // the line that made it; of clones kNone

  std::size_t size() const { return time.size(); }
};

// Kernels repeat their launch configuration, so it is a dictionary.
struct LaunchConfig {
  std::array<std::uint32_t, 3> grid{};
  std::array<std::uint32_t, 3> block{};
  std::uint32_t registers_per_thread = 0;
  std::uint32_t shared_bytes = 0;  // static and dynamic
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the comparison's own 0 for a pointer
  friend auto operator<=>(const LaunchConfig&, const LaunchConfig&) = default;
};

struct Syncs {
  std::vector<std::int64_t> begin;
  std::vector<std::int64_t> end;
  std::vector<ApiKind> api;      // sync_device, sync_stream, sync_event, stream_wait_event
  std::vector<StreamId> stream;  // the stream that waits (or is waited for by the host)
  std::vector<std::uint32_t> correlation;  // correlation id of the waiting call
  // Correlation id of the event's record call; 0 = unresolved.
  std::vector<std::uint32_t> awaited_correlation;

  std::size_t size() const { return begin.size(); }
};

// The track of a thread's CPU time so far, in nanoseconds, ends with the thread's id: it tells
// whether the thread ran or slept where nothing was recorded.
inline constexpr const char* kThreadCpuTrack = "thread_cpu.";
// Nanoseconds that a thread was ready to run and waited for a core, so far.
inline constexpr const char* kThreadWaitTrack = "thread_wait.";
// CPU time of all threads of a process so far, in nanoseconds.
inline constexpr const char* kProcessCpuTrack = "process_cpu";
// The part of it in the kernel; and the page faults that read no file. All threads count together.
inline constexpr const char* kProcessSystemTrack = "process_system";
inline constexpr const char* kPageFaultsTrack = "page_faults";
// CPU time so far, in nanoseconds, of a process that this one has started; ends with its id. Loader
// workers have it, and processes that are not recorded.
inline constexpr const char* kChildCpuTrack = "child_cpu.";
// How many records of a process found no room so far; read when it grew, and the reading before. Between
// two such readings records are missing.
inline constexpr const char* kNoRoomTrack = "records_without_room";
// How many iterations a loop of Python has begun, and with how many it ends, where that is known: at
// samples of a thread that records nothing. TID.SLOTS.FUNCTION|FILE follows; loops that differ in
// their slots (a number) are two of the same function.
inline constexpr const char* kLoopPositionTrack = "python_loop.";
inline constexpr const char* kLoopEndTrack = "python_loop_end.";
// Counter of a process: 0 or less from where nothing was recorded by the user's plan, more from
// where it was; 1 as usual, other values name what collection was on (STEPSCOPE_WINDOW_LAYERS).
inline constexpr const char* kCaptureTrack = "capture";

struct Counters {
  std::vector<std::int64_t> time;
  std::vector<StringId> track;
  std::vector<ProcessId> process;
  std::vector<double> value;

  std::size_t size() const { return time.size(); }
};

// Where a thread was, as a sampler beside it read from outside. If the row holds the thread's state
// (SampleState), it describes that moment. In older traces, and for workers, a row holds until
// the thread's next one, and the first row of a silence from the silence's begin.
enum SampleFlag : std::uint8_t {
  kSampleCollecting = 1,  // the interpreter's garbage collector was at work in it
  kSampleInLoader = 2,    // the line called PyTorch's DataLoader, or was called by it
  kSampleWorker = 4,      // it is a worker of the process's DataLoader: a process, kept as a thread
                          // under the process that started it
  kSampleFetching = 8,    // it was making a batch: a worker, or a thread whose loader has none
  kSampleEnded = 16,      // a worker that has ended: nothing later is of it
};

// What a thread that slept at a sample (kSampleSlept) waited for, by the system call that it was in.
// unknown: it was awake, it is a worker of a DataLoader, or the system does not show the call.
enum class AsleepIn : std::uint8_t {
  unknown,
  timer,    // a sleep that it asked for
  lock,     // a lock or a condition: another thread wakes it
  child,    // the end of a child process
  channel,  // a pipe, a socket, or one of several
  file,     // a call that writes, or that reads a file
};

struct Samples {
  std::vector<std::int64_t> time;
  std::vector<ThreadId> thread;
  std::vector<SiteId> site;         // innermost line of the user's code; kNone: no frame of Python
  std::vector<StringId> called;     // the function that it had called; 0: none
  std::vector<StringId> innermost;  // the innermost function, where that is another; 0: none
  std::vector<std::uint64_t> cpu;   // the thread's CPU time so far, ns; 0: not read
  std::vector<std::uint8_t> flags;  // SampleFlag; below 128
  std::vector<AsleepIn> asleep_in;

  std::size_t size() const { return time.size(); }
};

// Where a thread stood in the loops of its Python code, noted with a record where it had changed
// (collectors/python_frames/loop_positions.hpp). A row says of the loop at one depth, 0 being the
// outermost, how many iterations it had begun; it ends what earlier rows said of deeper ones.
enum LoopFlag : std::uint8_t {
  kLoopCounted = 1,  // the iterator's own count, whose first need not be 1; else as seen at records
  kLoopAtHead = 2,   // the loop was asking for that iteration, which may never have come, or had
                     // counted it already while it let the item of the last one go
  kLoopEntered = 4,  // the loop was entered anew
  kLoopLeft = 8,     // the thread was in no loop of this depth any more
};

struct LoopPositions {
  std::vector<std::int64_t> time;
  std::vector<ThreadId> thread;
  std::vector<std::uint8_t> depth;  // below 128
  std::vector<std::uint8_t> flags;  // LoopFlag
  std::vector<SiteId> loop;         // its first line; kNone where it was left
  std::vector<SiteId> caller;       // the line of the program's code that called its function;
                                    // kNone: the same function, or not noted
  std::vector<std::int64_t> iteration;

  std::size_t size() const { return time.size(); }
};

struct Marks {
  std::vector<std::int64_t> time;
  std::vector<StringId> name;
  std::vector<ThreadId> thread;

  std::size_t size() const { return time.size(); }
};

// The state of a thread at the moment of a sample: two of the bits of Samples::flags. 0: unknown
// (older traces, and workers).
//
// Such a sample is taken at any moment, also while the thread records, so it describes that moment
// and not the time behind it. A thread that sleeps on has no further rows until it wakes; then the
// last moment at which it was seen asleep has a row, too.

enum SampleState : std::uint8_t {
  kSampleRan = 32,    // it had a core
  kSampleWaits = 64,  // it was ready to run and waited for a core
  kSampleSlept = 96,
  kSampleStateMask = 96,  // mask
};

// Up to format 1.3 this bit stood for AsleepIn::file in the row of a thread that is no worker.
inline constexpr std::uint8_t kSampleInFile = 8;

}  // namespace stepscope
