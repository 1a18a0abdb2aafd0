// SPDX-License-Identifier: Apache-2.0
// What events refer to: processes, threads, devices, streams, call sites; and the clock records and
// health facts by which a reader judges how far to trust a trace.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/model/ids.hpp"

namespace stepscope {

enum class ExitReason : std::uint8_t {
  unknown,
  returned,
  exited,
  signalled,
  executed,
  still_running
};

struct Process {
  std::int64_t pid = 0;
  std::int32_t rank = -1;  // -1: not a distributed run
  std::int32_t world_size = -1;
  std::string name;
  std::string host;
  ExitReason exit_reason = ExitReason::unknown;
  std::int32_t exit_status = 0;  // status or signal number
  // Everything else worth keeping, by stable key: "command", "python", "torch", "cuda_runtime",
  // "env.RANK", ...
  std::map<std::string, std::string> facts;
};

struct Thread {
  ProcessId process = 0;
  std::int64_t tid = 0;
  std::string name;
};

struct Device {
  ProcessId process = 0;
  std::uint32_t index = 0;
  std::string name;
  std::uint64_t memory_bytes = 0;
  std::uint32_t multiprocessors = 0;
  std::uint32_t compute_major = 0;
  std::uint32_t compute_minor = 0;
  std::string uuid;
};

struct Stream {
  ProcessId process = 0;
  std::uint32_t device = 0;  // device index within the process
  std::uint32_t context = 0;
  std::uint32_t stream = 0;  // the source's stream id
  std::string name;
};

// call: the line that made the call. function: the line where the function is defined; the call
// itself is somewhere in its body (no more is in the frames of a Python profiler).
enum class SiteKind : std::uint8_t { call, function };

struct Site {
  StringId file = 0;
  std::uint32_t line = 0;
  StringId function = 0;
  SiteKind kind = SiteKind::call;
  friend auto operator<=>(const Site&, const Site&) = default;
};

struct ClockRecord {
  ProcessId process = 0;
  std::int64_t realtime_ns = 0;
  std::int64_t monotonic_raw_ns = 0;
  std::uint64_t tsc = 0;
  std::int64_t error_ns = 0;  // half of the gap between the two realtime reads around the others
};

enum class SourceKind : std::uint8_t { unknown, stepscope, kineto, nsys };

// Which collectors ran: a cause whose collector is missing abstains instead of reading zero.
struct Collected {
  bool device_ops = false;
  bool api_calls = false;
  bool api_arguments =
      false;  // streams and event handles of calls: event waits are exact, not inferred
  bool framework_ops = false;  // RecordFunction FUNCTION scope: slows op-bound steps (see inflated)
  bool user_scopes = false;
  bool python_functions = false;  // every call and return: slows Python (see inflated)
  bool call_sites = false;
  bool garbage_collection = false;
  bool off_cpu = false;
  bool io = false;
};

struct Health {
  std::uint64_t dropped_records = 0;
  std::uint64_t zero_timestamps = 0;  // device records without a time: counted, never placed
  std::uint64_t reversed_times = 0;   // end < begin: kept as an empty event at begin
  std::uint64_t crossing_ranges = 0;  // same thread, neither nested nor disjoint
  std::uint64_t skipped_events = 0;   // phases or categories that the importer does not know
  std::uint64_t missing_fields = 0;   // tolerated, value left unknown
  std::uint64_t lost_chunks = 0;      // chunks of a torn or damaged store file that cannot be read
  std::uint64_t lost_bytes = 0;
  std::int64_t overhead_ns = 0;     // the collectors' own measured work on application threads
  std::uint64_t sites_wanted = 0;   // calls at which a line was asked for ...
  std::uint64_t sites_found = 0;    // ... and found: the link rate
  std::vector<std::string> rivals;  // other tracers seen in the run
  std::vector<std::string> notes;   // one sentence each, printed under trust
};

}  // namespace stepscope
