// SPDX-License-Identifier: Apache-2.0
// From the ids of one writer in one file to the ids of the trace that is being filled.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/model/trace.hpp"
#include "core/store/dictionary.hpp"

namespace stepscope::store {

// Sites and launch configurations are shared by all files of a trace.
struct SharedIds {
  std::unordered_map<Site, SiteId, KeyHash> sites;
  std::unordered_map<LaunchConfig, LaunchConfigId, KeyHash> launch_configs;

  SiteId site(const Site& site, TraceData& out);
  LaunchConfigId launch_config(const LaunchConfig& config, TraceData& out);
};

// The processes, threads, streams and devices of one file: its writers share them by what they are.
class FileIds {
 public:
  explicit FileIds(TraceData& out);

  ProcessId own_process() const { return own_process_; }
  ProcessId process(std::int64_t pid);
  ThreadId thread(ProcessId process, std::int64_t tid);
  StreamId stream(const StreamKey& key);
  Device& device(ProcessId process, std::uint32_t index);
  // Where rows go whose thread or stream was in a chunk that is lost.
  ThreadId lost_thread();
  StreamId lost_stream();

 private:
  TraceData& out_;
  ProcessId own_process_;
  std::map<std::int64_t, ProcessId> processes_;  // the others, by pid
  std::map<std::pair<ProcessId, std::int64_t>, ThreadId> threads_;
  std::map<std::tuple<ProcessId, std::uint32_t, std::uint32_t, std::uint32_t>, StreamId> streams_;
  std::map<std::pair<ProcessId, std::uint32_t>, std::size_t> devices_;
};

// One writer's id -> the trace's id; kNone for ids that no surviving chunk defines.
class IdMap {
 public:
  std::uint32_t operator[](std::uint32_t id) const { return id < ids_.size() ? ids_[id] : kNone; }
  std::size_t size() const { return ids_.size(); }
  void set(std::size_t id, std::uint32_t value) {
    if (id >= ids_.size()) ids_.resize(id + 1, kNone);
    ids_[id] = value;
  }

 private:
  std::vector<std::uint32_t> ids_;
};

}  // namespace stepscope::store
