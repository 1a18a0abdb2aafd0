// SPDX-License-Identifier: Apache-2.0
// Instants and sampled values: marks, the allocator's "[memory]" events, counter events (ph C and
// hardware_counters, one track for each number in args).
#pragma once

#include <string_view>

#include "core/importers/kineto/entities.hpp"

namespace stepscope::kineto {

class Samples {
 public:
  Samples(TraceData& data, FieldReader& fields, Entities& entities)
      : data_(data), fields_(fields), entities_(entities) {}

  // False where the event has no time and cannot be placed.
  bool add_instant(const Event& event);
  bool add_counters(const Event& event);

  // Counters without a known process belong to the main one.
  void finish(ProcessId owner);

 private:
  void add_memory(std::int64_t time, const Event& event);
  void add_value(std::int64_t time, std::string_view track, ProcessId process, double value);

  TraceData& data_;
  FieldReader& fields_;
  Entities& entities_;
};

}  // namespace stepscope::kineto
