// SPDX-License-Identifier: Apache-2.0
// The processes, threads and streams of an export, made when an event first names them. nsys packs
// host, machine, pid and tid into one number: bits 0-23 the thread, 24-47 the process.
//
// Old exports do not say whose device rows are: those belong to the main process (most CUDA calls),
// known only at the end. Until finish() such rows point to kNone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "core/importers/nsys/database.hpp"
#include "core/model/trace.hpp"

namespace stepscope::nsys {

class Entities {
 public:
  explicit Entities(TraceData& data) : data_(data) {}

  ThreadId thread(const Row& row, int global_tid);
  ProcessId process(const Row& row, int global_pid);
  StreamId stream(ProcessId process, std::uint32_t device, std::uint32_t context,
                  std::uint32_t stream);

  // Return what events named; kNone for others.
  ThreadId known_thread(std::int64_t global_tid) const;
  ProcessId known_process(std::int64_t global_pid) const;
  ProcessId process_with_pid(std::int64_t pid) const;

  // Gives every row its process; returns the main one.
  ProcessId finish();

 private:
  ProcessId process_of(std::int64_t global_id);
  ThreadId add_thread(std::optional<std::int64_t> global_tid);
  ProcessId main_process() const;

  TraceData& data_;
  std::unordered_map<std::int64_t, ProcessId> processes_;
  std::unordered_map<std::int64_t, ThreadId> threads_;
  std::map<std::tuple<ProcessId, std::uint32_t, std::uint32_t, std::uint32_t>, StreamId> streams_;
  ThreadId nameless_ = kNone;  // for rows that name no thread
};

}  // namespace stepscope::nsys
