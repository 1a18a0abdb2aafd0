// SPDX-License-Identifier: Apache-2.0
#include "core/importers/nsys/entities.hpp"

#include <algorithm>
#include <vector>

namespace stepscope::nsys {
namespace {

constexpr std::int64_t kIdMask = 0xffffff;

std::int64_t process_part(std::int64_t global_id) {
  return global_id & ~kIdMask;
}

}  // namespace

ProcessId Entities::process_of(std::int64_t global_id) {
  const std::int64_t key = process_part(global_id);
  const auto [found, fresh] =
      processes_.try_emplace(key, static_cast<ProcessId>(data_.processes.size()));
  if (fresh) data_.processes.push_back({.pid = (key >> 24) & kIdMask});
  return found->second;
}

ProcessId Entities::process(const Row& row, int global_pid) {
  return row.null(global_pid) ? kNone : process_of(row.integer(global_pid));
}

ThreadId Entities::add_thread(std::optional<std::int64_t> global_tid) {
  const auto id = static_cast<ThreadId>(data_.threads.size());
  const ProcessId process = global_tid ? process_of(*global_tid) : ProcessId{kNone};
  data_.threads.push_back({process, global_tid ? *global_tid & kIdMask : -1, {}});
  return id;
}

ThreadId Entities::thread(const Row& row, int global_tid) {
  if (row.null(global_tid)) {
    if (nameless_ == kNone) nameless_ = add_thread(std::nullopt);
    return nameless_;
  }
  const std::int64_t key = row.integer(global_tid);
  const auto known = threads_.find(key);
  if (known != threads_.end()) return known->second;
  return threads_[key] = add_thread(key);
}

StreamId Entities::stream(ProcessId process, std::uint32_t device, std::uint32_t context,
                          std::uint32_t stream) {
  const auto [found, fresh] = streams_.try_emplace({process, device, context, stream},
                                                   static_cast<StreamId>(data_.streams.size()));
  if (fresh) {
    data_.streams.push_back(
        {.process = process, .device = device, .context = context, .stream = stream});
  }
  return found->second;
}

ThreadId Entities::known_thread(std::int64_t global_tid) const {
  const auto found = threads_.find(global_tid);
  return found == threads_.end() ? kNone : found->second;
}

ProcessId Entities::known_process(std::int64_t global_pid) const {
  const auto found = processes_.find(process_part(global_pid));
  return found == processes_.end() ? kNone : found->second;
}

ProcessId Entities::process_with_pid(std::int64_t pid) const {
  for (ProcessId process = 0; process < data_.processes.size(); ++process) {
    if (data_.processes[process].pid == pid) return process;
  }
  return kNone;
}

ProcessId Entities::main_process() const {
  std::vector<std::uint64_t> calls(data_.processes.size());
  for (const RangeId range : data_.calls.range) {
    const ProcessId process = data_.threads[data_.host_ranges.thread[range]].process;
    if (process != kNone) ++calls[process];
  }
  return static_cast<ProcessId>(std::max_element(calls.begin(), calls.end()) - calls.begin());
}

ProcessId Entities::finish() {
  if (data_.processes.empty()) data_.processes.push_back({});
  const ProcessId main = main_process();
  for (Thread& thread : data_.threads) {
    if (thread.process == kNone) thread.process = main;
  }
  for (Stream& stream : data_.streams) {
    if (stream.process == kNone) stream.process = main;
  }
  return main;
}

}  // namespace stepscope::nsys
