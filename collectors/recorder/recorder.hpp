// SPDX-License-Identifier: Apache-2.0
// The interface that every host-side hook calls to record: the one door between the hooks
// (record_function, nvtx, python_frames, cupti) and the rings, the writer thread and the file.
//
// A thread's events go into its own ring, a memory-mapped shared file of fixed-size records, so
// that what was written survives any kind of death of the process. begin and end are separate
// records; the writer thread pairs them off the application's threads.
//
// Every call here: never throws, never blocks, takes no lock after a thread's first event,
// allocates nothing after it, and is safe before main, in any thread, in a forked child and while
// exiting. A full ring drops the record and counts it; a dropped begin drops its end too.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/model/events.hpp"

namespace stepscope::recorder {

using NameId = std::uint32_t;     // process-wide; 0 is the empty name
using SiteRef = std::uint32_t;    // process-wide call site; 0 is "none"
using StreamRef = std::uint32_t;  // process-wide device stream
inline constexpr StreamRef kNoStream = 0;

// The name of a range or mark: one of the table of names, or one of so many that differ in their
// numbers alone that they share an entry of it, with the numbers beside (numbered_name.hpp).
class RangeName {
 public:
  static constexpr unsigned kIdBits = 18;

  constexpr RangeName(NameId name) noexcept : bits_(name) {}  // NOLINT(google-explicit-constructor)
  constexpr RangeName(NameId pattern, std::uint64_t numbers) noexcept
      : bits_(numbers << kIdBits | pattern) {}
  static constexpr RangeName of_bits(std::uint64_t bits) noexcept {
    return {static_cast<NameId>(bits & ((1U << kIdBits) - 1)), bits >> kIdBits};
  }

  constexpr NameId id() const noexcept {
    return static_cast<NameId>(bits_ & ((1U << kIdBits) - 1));
  }
  constexpr std::uint64_t numbers() const noexcept { return bits_ >> kIdBits; }
  constexpr std::uint64_t bits() const noexcept { return bits_; }  // never all ones
  friend constexpr bool operator==(RangeName, RangeName) noexcept = default;

 private:
  std::uint64_t bits_;
};

// Ranges pair begin with end per (thread, lane): one stack each. Fixed lanes are the RecordFunction
// scopes; NVTX domains take lanes from kFirstNvtxLane up.
enum Lane : std::uint16_t {
  kLaneFunction = 0,
  kLaneBackward = 1,
  kLaneUser = 2,
  kLaneCall = 3,  // CUDA API calls
  kFirstNvtxLane = 16,
  kLaneLimit = 64,
};

// Whether the process records. False: not started, stopped, or switched off; hooks may return at
// once.
bool is_armed() noexcept;

// Whether the user's plan lets records through at present (capture.hpp). Where it does not, hooks
// must go on reporting begins and ends, and need not find out anything besides, such as a line.
bool is_capturing() noexcept;

// Whether there is a plan at all: then step marks get a call site, by which they are distinguished.
bool has_plan() noexcept;

// Interns a text that may vanish after the call. Lock-free once the text is known.
NameId intern_name(const char* text, std::size_t length) noexcept;

// The same for a range or mark, whose text may be another one each time.
RangeName range_name(const char* text, std::size_t length) noexcept;
// Returns the text of a name that stands for something else, interned in any case.
NameId whole_name(RangeName name) noexcept;

// The text of an interned name; ends with a zero byte and stays for the life of the process.
const char* name_text(NameId name) noexcept;

// Interns a call site. `function` and `file` as above.
SiteRef intern_site(NameId file, std::uint32_t line, NameId function) noexcept;

// For a backward node, `category` is instead PyTorch's number of its forward thread (0: not known).
void begin_range(std::uint16_t lane, HostKind kind, RangeName name, NameId category, SiteRef site,
                 std::uint32_t sequence) noexcept;
void end_range(std::uint16_t lane) noexcept;
// Returns how many ranges of the lane the calling thread is in.
std::uint32_t open_ranges(std::uint16_t lane) noexcept;

// A CUDA call, on kLaneCall; end_range(kLaneCall) ends it. `code` names the call: see name_call.
// `value` is an event handle or a size, by what the call does; of a kernel's launch it is the
// thread's autograd counter with PyTorch's number of the thread above it, or 0
// (HostRanges::sequence).
void begin_call(std::uint16_t code, HostKind kind, SiteRef site, std::uint32_t correlation,
                StreamRef stream, std::uint64_t value) noexcept;
// Drops the calls that the thread is in: they ended while nothing was captured, so their ends will
// not be recorded.
void forget_calls() noexcept;
// Names a call's code, before the first call with it.
void name_call(std::uint16_t code, const char* name) noexcept;
// A new number for a stream of a device and context.
StreamRef intern_stream(std::uint32_t device, std::uint32_t context, std::uint32_t stream) noexcept;

// A range that may end on another thread (NVTX start/end); `id` is unique among open ones.
void begin_process_range(std::uint64_t id, RangeName name, NameId category,
                         HostKind kind = HostKind::nvtx_range) noexcept;
void end_process_range(std::uint64_t id) noexcept;

void mark(RangeName name, NameId category) noexcept;

// The value of a track of this process from now on.
void counter(NameId track, double value) noexcept;

// A node of a CUDA graph was made by the calling thread: anew (`original` 0), at `site`, or as the
// clone of another.
void graph_node(std::uint64_t node, std::uint64_t original, SiteRef site) noexcept;

// Sets the message of the calling thread's innermost open range of the lane, which is a
// communication call. Bytes and peer may be unknown (kUnknownBytes, kNone). One a range: the last
// counts.
struct Message {
  std::uint64_t communicator = 0;
  std::uint64_t bytes = kUnknownBytes;
  ReduceOperation reduce = ReduceOperation::none;
  std::uint32_t peer = kNone;
};
void collective(std::uint16_t lane, const Message& message) noexcept;

// Reports where the calling thread stands in a loop of the program's Python code: LoopPositions of
// the model. False: it was not recorded, for want of room or by the user's plan.
struct LoopPosition {
  std::uint32_t depth = 0;
  std::uint8_t flags = 0;
  SiteRef loop = 0, caller = 0;
  std::int64_t iteration = 0;
};
bool loop_position(const LoopPosition& position) noexcept;

// A line was asked for at a call site, and found or not: the link rate of the report.
void count_site_lookup(bool found) noexcept;

// Labels for rows: nvtxNameOsThread, nvtxNameCudaStream and the like.
enum class LabelKind : std::uint8_t {
  thread,
  cuda_stream,
  cuda_device,
  cuda_event,
  cuda_context,
  category
};
void label(LabelKind kind, std::uint64_t id, NameId name) noexcept;

// A collector is at work; its absence lets causes abstain instead of reading zero.
enum class Collector : std::uint32_t {
  framework_ops = 1,
  user_scopes = 2,
  call_sites = 4,
  device_ops = 8,
  api_calls = 16,
  api_arguments = 32,
  thread_cpu = 64,
  garbage_collection = 128,
  io = 256,
};
void collecting(Collector what) noexcept;

// A fact about the process, printed in the report (library versions, why a hook is off).
void fact(const char* key, const char* value) noexcept;
// One sentence for the report's trust section; also to stderr at the launcher's wish.
void note(const char* sentence) noexcept;

}  // namespace stepscope::recorder
