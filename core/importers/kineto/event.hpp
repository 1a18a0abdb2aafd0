// SPDX-License-Identifier: Apache-2.0
// One element of traceEvents as text: which of the known fields it has and where their values lie.
// Fields may come in any order; a repeated one counts once, with its last value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/importers/kineto/json/json_scanner.hpp"

namespace stepscope::kineto {

enum class Field : std::uint8_t {
  // Fields of the event.
  ph,
  cat,
  name,
  pid,
  tid,
  ts,
  dur,
  flow_id,  // which an arrow has
  // Fields of its args.
  args,
  correlation,
  device,
  context,
  stream,
  bytes,
  grid,
  block,
  registers,
  shared_memory,
  graph_id,
  graph_node,
  sequence,
  forward_thread,
  sync_kind,
  waits_for_correlation,
  waits_for_event,
  event_id,
  label_name,
  labels,
  total_allocated,
  total_reserved,
  device_type,
  device_id,
  in_device,
  in_context,
  number,
  task_type,  // what Ascend's device did
};

inline constexpr std::size_t kFieldCount = static_cast<std::size_t>(Field::task_type) + 1;

class Event {
 public:
  void clear() { present_ = 0; }
  bool has(Field field) const { return (present_ >> index(field) & 1U) != 0; }
  JsonValue get(Field field) const { return has(field) ? values_[index(field)] : JsonValue{}; }
  JsonValue& set(Field field) {
    present_ |= std::uint64_t{1} << index(field);
    return values_[index(field)];
  }

 private:
  static constexpr std::size_t index(Field field) { return static_cast<std::size_t>(field); }
  std::array<JsonValue, kFieldCount> values_;
  std::uint64_t present_ = 0;
};
static_assert(kFieldCount <= 64, "one bit a field");

// Takes the event object that follows; false: see the scanner's state.
bool read_event(JsonScanner& scanner, Event& out);

}  // namespace stepscope::kineto
