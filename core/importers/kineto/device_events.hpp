// SPDX-License-Identifier: Apache-2.0
// Device-side events as rows of the model: kernels, copies, sets; and the waits and event records
// of traces that hold them (cuda_sync, cuda_event), which also hold the stream and event of API
// calls.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <unordered_map>

#include "core/importers/kineto/category.hpp"
#include "core/importers/kineto/entities.hpp"

namespace stepscope::kineto {

// Kineto prints a time before its base as 0.000, and CUPTI gives 0 for an activity that it lost
// track of: such an op has no time. Trace::build removes and counts it.
inline constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::min();

class DeviceEvents {
 public:
  DeviceEvents(TraceData& data, FieldReader& fields, Entities& entities)
      : data_(data), fields_(fields), entities_(entities) {}

  // False where the event has no time and cannot be placed.
  bool add_op(DeviceOpKind kind, const Event& event);
  bool add_sync(const Event& event);
  void add_event_record(const Event& event);

  // Hands stream and event handle to the calls with the same correlation. True if any wait or
  // record was resolved: then the trace holds API arguments.
  bool finish();

 private:
  struct Argument {
    StreamId stream = kNone;
    std::uint64_t event = 0;
  };

  void add_copy(const Event& event);
  void add_launch_config(const Event& event);
  std::uint64_t event_handle(const Event& event, Field field);

  TraceData& data_;
  FieldReader& fields_;
  Entities& entities_;
  std::map<LaunchConfig, LaunchConfigId> configs_;
  std::unordered_map<std::uint32_t, Argument> arguments_;  // by correlation
  bool resolved_ = false;
};

}  // namespace stepscope::kineto
