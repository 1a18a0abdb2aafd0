// SPDX-License-Identifier: Apache-2.0
// Launches that a trace shows by arrows alone. Ascend's profiler numbers the work of its device
// otherwise than the calls of its runtime, which another thread makes out of a queue; an arrow of
// the category async_npu leads from the operation that asked for the work, at its begin, to the
// work, at its begin. Each such arrow becomes a call without a length in that operation.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/importers/kineto/entities.hpp"
#include "core/importers/kineto/field_reader.hpp"

namespace stepscope::kineto {

class LaunchFlows {
 public:
  LaunchFlows(TraceData& data, FieldReader& fields, Entities& entities)
      : data_(data), fields_(fields), entities_(entities) {}

  // One end of an arrow; `phase` is 's' or 'f'. Other categories are left aside.
  void add(const Event& event, char phase);

  // Adds the calls and ties them to their work, in the times of the file. Calls whose numbers then
  // belong to no work lose them, and launch nothing: the arrows stand for the launches.
  void finish();

 private:
  struct Begin {
    ThreadId thread = kNone;
    std::int64_t time = 0;
  };
  struct End {
    std::int64_t time = 0;
    std::uint32_t stream = 0;
  };

  void add_call(const Begin& begin, std::uint32_t number);
  void forget_other_numbers(std::size_t calls);

  TraceData& data_;
  FieldReader& fields_;
  Entities& entities_;
  std::map<std::string, Begin> begins_;  // by the arrow's id
  std::map<std::string, End> ends_;
};

}  // namespace stepscope::kineto
