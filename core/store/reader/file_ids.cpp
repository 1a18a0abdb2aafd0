// SPDX-License-Identifier: Apache-2.0
#include "core/store/reader/file_ids.hpp"

namespace stepscope::store {

SiteId SharedIds::site(const Site& site, TraceData& out) {
  const auto [at, is_new] = sites.try_emplace(site, static_cast<SiteId>(out.sites.size()));
  if (is_new) out.sites.push_back(site);
  return at->second;
}

LaunchConfigId SharedIds::launch_config(const LaunchConfig& config, TraceData& out) {
  const auto [at, is_new] =
      launch_configs.try_emplace(config, static_cast<LaunchConfigId>(out.launch_configs.size()));
  if (is_new) out.launch_configs.push_back(config);
  return at->second;
}

FileIds::FileIds(TraceData& out)
    : out_(out), own_process_(static_cast<ProcessId>(out.processes.size())) {
  out_.processes.emplace_back();
}

ProcessId FileIds::process(std::int64_t pid) {
  if (out_.processes[own_process_].pid == pid) return own_process_;
  const auto [at, is_new] =
      processes_.try_emplace(pid, static_cast<ProcessId>(out_.processes.size()));
  if (is_new) out_.processes.push_back({.pid = pid});
  return at->second;
}

ThreadId FileIds::thread(ProcessId process, std::int64_t tid) {
  const auto [at, is_new] =
      threads_.try_emplace({process, tid}, static_cast<ThreadId>(out_.threads.size()));
  if (is_new) out_.threads.push_back({process, tid, {}});
  return at->second;
}

StreamId FileIds::stream(const StreamKey& key) {
  const auto [at, is_new] = streams_.try_emplace({key.process, key.device, key.context, key.stream},
                                                 static_cast<StreamId>(out_.streams.size()));
  if (is_new) out_.streams.push_back({key.process, key.device, key.context, key.stream, {}});
  return at->second;
}

Device& FileIds::device(ProcessId process, std::uint32_t index) {
  const auto [at, is_new] = devices_.try_emplace({process, index}, out_.devices.size());
  if (is_new) out_.devices.push_back({.process = process, .index = index});
  return out_.devices[at->second];
}

ThreadId FileIds::lost_thread() {
  const ThreadId id = thread(own_process_, -1);
  out_.threads[id].name = "(lost thread)";
  return id;
}

StreamId FileIds::lost_stream() {
  const StreamId id = stream({own_process_, 0, kNone, kNone});
  out_.streams[id].name = "(lost stream)";
  return id;
}

}  // namespace stepscope::store
