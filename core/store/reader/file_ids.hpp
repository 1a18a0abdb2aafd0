// SPDX-License-Identifier: Apache-2.0
// From the ids of one writer in one file to the ids of the trace that is being filled.
#pragma once

#include <algorithm>
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
  // Return the thread and stream for rows whose own were in a chunk that is lost.
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

// One writer's id -> the trace's id; kNone for ids that no surviving chunk defines. In pages, and
// none behind a gap: a damaged file may leave out a thousand million.
class IdMap {
 public:
  std::uint32_t operator[](std::uint32_t id) const {
    const std::size_t page = id / kPage, place = id % kPage;
    return page < pages_.size() && place < pages_[page].size() ? pages_[page][place] : kNone;
  }
  std::size_t size() const { return size_; }
  void set(std::size_t id, std::uint32_t value) {
    const std::size_t page = id / kPage, place = id % kPage;
    if (page >= pages_.size()) pages_.resize(page + 1);
    if (place >= pages_[page].size()) pages_[page].resize(place + 1, kNone);
    pages_[page][place] = value;
    size_ = std::max(size_, id + 1);
  }

 private:
  static constexpr std::size_t kPage = 16'384;
  std::vector<std::vector<std::uint32_t>> pages_;
  std::size_t size_ = 0;
};

}  // namespace stepscope::store
