// SPDX-License-Identifier: Apache-2.0
// What stands beside traceEvents: devices, rank, versions and the base of all times. Members may
// come in any order, before or after the events, so they are gathered first and applied at the end.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/importers/kineto/json/json_scanner.hpp"
#include "core/model/trace.hpp"

namespace stepscope::kineto {

class DocumentFacts {
 public:
  void add(std::string_view key, const JsonValue& value);

  std::int64_t base_ns() const { return base_ns_; }
  std::uint64_t unreadable() const { return unreadable_; }

  // Fills the process's rank and facts and the devices.
  void apply(TraceData& data, ProcessId process) const;

 private:
  void add_devices(std::string_view json);
  void add_distributed(std::string_view json);

  std::int64_t base_ns_ = 0;
  std::uint64_t unreadable_ = 0;
  std::int32_t rank_ = -1;
  std::int32_t world_size_ = -1;
  std::string contradiction_;  // a note
  std::map<std::string, std::string> facts_;
  std::vector<Device> devices_;
};

// Returns the tool, and what to do, by the categories of events that are not read and by the names
// of processes; empty where nothing tells.
std::string writer_of(const std::map<std::string, std::uint64_t>& categories,
                      const std::map<std::int64_t, std::string>& process_names);

}  // namespace stepscope::kineto
