// SPDX-License-Identifier: Apache-2.0
#include "core/importers/kineto/samples.hpp"

#include <fmt/format.h>

#include "core/importers/kineto/json/decimal.hpp"

namespace stepscope::kineto {
namespace {

bool is_number(const JsonValue& value) {
  return value.kind == JsonValue::Kind::scalar;
}

// c10::DeviceType: 0 is the CPU, 1 CUDA; others by number.
std::string device_name(std::int64_t type, std::int64_t index) {
  if (type == 0) return "cpu";
  return fmt::format("{}:{}", type == 1 ? std::string("cuda") : fmt::format("device type {}", type),
                     index);
}

}  // namespace

bool Samples::add_instant(const Event& event) {
  const std::optional<std::int64_t> time = fields_.time(event);
  if (!time) return false;
  if (event.has(Field::total_allocated) || event.has(Field::total_reserved)) {
    add_memory(*time, event);
    return true;
  }
  const bool has_thread = is_number(event.get(Field::pid)) && is_number(event.get(Field::tid));
  data_.marks.time.push_back(*time);
  data_.marks.name.push_back(fields_.name(event));
  data_.marks.thread.push_back(has_thread ? entities_.thread_of(event) : kNone);
  return true;
}

void Samples::add_memory(std::int64_t time, const Event& event) {
  const std::string device = device_name(fields_.integer(event, Field::device_type).value_or(1),
                                         fields_.integer(event, Field::device_id).value_or(0));
  const ProcessId process = entities_.process_of(event);
  for (const auto& [field, what] : {std::pair{Field::total_allocated, "allocated"},
                                    std::pair{Field::total_reserved, "reserved"}}) {
    const std::optional<double> value = real(event.get(field).text);
    if (value) add_value(time, fmt::format("memory {} {} (bytes)", what, device), process, *value);
  }
}

bool Samples::add_counters(const Event& event) {
  const std::optional<std::int64_t> time = fields_.time(event);
  if (!time) return false;
  const std::string name(data_.strings.view(fields_.name(event)));
  const ProcessId process = entities_.process_of(event);
  const JsonValue members = event.get(Field::args);
  if (members.kind != JsonValue::Kind::object) return fields_.count_missing(), true;
  const std::string_view args = members.text;
  JsonScanner scanner(args.data(), args.data() + args.size());
  for_each_member(scanner, [&](const JsonValue& key, JsonScanner& inner) {
    JsonValue member;
    if (!inner.value(member)) return false;
    const std::optional<double> value = is_number(member) ? real(member.text) : std::nullopt;
    if (value) add_value(*time, fmt::format("{}: {}", name, fields_.text(key)), process, *value);
    return true;
  });
  return true;
}

void Samples::add_value(std::int64_t time, std::string_view track, ProcessId process,
                        double value) {
  data_.counters.time.push_back(time);
  data_.counters.track.push_back(data_.strings.intern(track));
  data_.counters.process.push_back(process);
  data_.counters.value.push_back(value);
}

void Samples::finish(ProcessId owner) {
  for (ProcessId& process : data_.counters.process) {
    if (process == kNone) process = owner;
  }
}

}  // namespace stepscope::kineto
