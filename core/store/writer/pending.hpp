// SPDX-License-Identifier: Apache-2.0
// Everything but events that a writer still has to put into a chunk: new dictionary entries and
// facts. encode() does not change it, so that a failed write loses none of it; mark_written() does.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/store/dictionary.hpp"
#include "core/store/writer/byte_sink.hpp"

namespace stepscope::store {

struct Fact {
  ProcessId process;
  StringId key;
  StringId value;
};

enum class Named : std::uint8_t { thread = 0, stream = 1 };

struct Name {
  Named what;
  std::uint32_t id;
  StringId text;
};

struct ProcessRecord {
  ProcessId id;
  std::int64_t pid;
  std::int32_t rank;
  std::int32_t world_size;
  StringId name;
  StringId host;
};

struct DeviceRecord {
  Device device;
  StringId name;
  StringId uuid;
};

struct Pending {
  Dictionary<std::string> strings;
  Dictionary<std::int64_t> pids;
  Dictionary<ThreadKey> threads;
  Dictionary<StreamKey> streams;
  Dictionary<Site> sites;
  Dictionary<LaunchConfig> launch_configs;
  std::vector<ProcessRecord> processes;
  std::vector<Fact> facts;
  std::vector<Name> names;
  std::vector<DeviceRecord> devices;
  std::vector<ClockRecord> clocks;
  std::vector<StringId> rivals;
  std::vector<StringId> notes;
  std::uint32_t collected = 0;
  bool collected_changed = false;
  Health health;
  bool health_changed = false;

  bool empty() const;
  void encode(ByteSink& out) const;
  void mark_written();
};

std::uint32_t bits_of(const Collected& collected);
Collected collected_of(std::uint32_t bits);

// The counters of Health in the order of the file: one list for writer and reader.
template <class AnyHealth, class Visit>
void health_counters(AnyHealth& h, Visit&& visit) {
  visit(h.dropped_records), visit(h.zero_timestamps), visit(h.reversed_times);
  visit(h.crossing_ranges), visit(h.skipped_events), visit(h.missing_fields);
  visit(h.lost_chunks), visit(h.lost_bytes), visit(h.overhead_ns);
  visit(h.sites_wanted), visit(h.sites_found);
}

}  // namespace stepscope::store
