// SPDX-License-Identifier: Apache-2.0
#include "core/importers/kineto/device_events.hpp"

#include "core/importers/kineto/names.hpp"

namespace stepscope::kineto {
namespace {

struct Span {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

Span device_span(std::int64_t begin, std::int64_t duration) {
  if (begin == 0) return {kNoTime, kNoTime};
  return {begin, begin + duration};
}

}  // namespace

bool DeviceEvents::add_op(DeviceOpKind kind, const Event& event) {
  const std::optional<std::int64_t> begin = fields_.time(event);
  if (!begin) return false;
  const Span span = device_span(*begin, fields_.duration(event));
  DeviceOps& d = data_.device_ops;
  if (!event.has(Field::correlation)) fields_.count_missing();
  d.begin.push_back(span.begin);
  d.end.push_back(span.end);
  d.name.push_back(fields_.name(event));
  d.kind.push_back(kind);
  d.stream.push_back(entities_.stream_of(event, 0));
  d.correlation.push_back(fields_.correlation(event));
  d.graph.push_back(fields_.id<std::uint32_t>(event, Field::graph_id, 0));
  d.graph_node.push_back(fields_.id<std::uint64_t>(event, Field::graph_node, 0));
  d.bytes.push_back(fields_.id<std::uint64_t>(event, Field::bytes, kUnknownBytes));
  d.copy_kind.push_back(CopyKind::none);
  d.source_memory.push_back(MemoryKind::unknown);
  d.target_memory.push_back(MemoryKind::unknown);
  d.launch_config.push_back(kNone);
  if (kind == DeviceOpKind::kernel) add_launch_config(event);
  if (kind != DeviceOpKind::kernel) add_copy(event);
  return true;
}

void DeviceEvents::add_copy(const Event& event) {
  DeviceOps& d = data_.device_ops;
  if (d.bytes.back() == kUnknownBytes) fields_.count_missing();
  const CopyName name = parse_copy_name(event.get(Field::name).text);
  if (d.kind.back() == DeviceOpKind::memcpy) d.copy_kind.back() = name.kind;
  d.source_memory.back() = name.source;
  d.target_memory.back() = name.target;
}

void DeviceEvents::add_launch_config(const Event& event) {
  if (!event.has(Field::grid) && !event.has(Field::block)) return;
  LaunchConfig config;
  fields_.three(event, Field::grid, config.grid);
  fields_.three(event, Field::block, config.block);
  config.registers_per_thread = fields_.id<std::uint32_t>(event, Field::registers, 0);
  config.shared_bytes = fields_.id<std::uint32_t>(event, Field::shared_memory, 0);
  const auto [at, is_new] =
      configs_.try_emplace(config, static_cast<LaunchConfigId>(configs_.size()));
  if (is_new) data_.launch_configs.push_back(config);
  data_.device_ops.launch_config.back() = at->second;
}

// Event ids count within a context; 0 means "none" in the model, so handles start at 1.
std::uint64_t DeviceEvents::event_handle(const Event& event, Field field) {
  const auto id = fields_.id<std::uint32_t>(event, field, kNone);
  if (id == kNone) return 0;
  const auto context = fields_.id<std::uint32_t>(event, Field::context, 0);
  return (std::uint64_t{context} << 32U | id) + 1;
}

bool DeviceEvents::add_sync(const Event& event) {
  const std::optional<std::int64_t> begin = fields_.time(event);
  if (!begin) return false;
  const JsonValue kind = event.get(event.has(Field::sync_kind) ? Field::sync_kind : Field::name);
  Syncs& s = data_.syncs;
  s.begin.push_back(*begin);
  s.end.push_back(*begin + fields_.duration(event));
  s.api.push_back(parse_sync_kind(kind.text));
  s.stream.push_back(event.has(Field::stream) ? entities_.stream_of(event) : kNone);
  s.correlation.push_back(fields_.correlation(event));
  s.awaited_correlation.push_back(
      fields_.id<std::uint32_t>(event, Field::waits_for_correlation, 0));
  resolved_ = resolved_ || s.awaited_correlation.back() != 0;
  arguments_[s.correlation.back()] = {s.stream.back(), event_handle(event, Field::waits_for_event)};
  return true;
}

void DeviceEvents::add_event_record(const Event& event) {
  const auto correlation = fields_.correlation(event);
  arguments_[correlation] = {event.has(Field::stream) ? entities_.stream_of(event) : kNone,
                             event_handle(event, Field::event_id)};
  resolved_ = true;
}

bool DeviceEvents::finish() {
  Calls& c = data_.calls;
  for (CallId call = 0; call < c.size() && !arguments_.empty(); ++call) {
    const auto found =
        c.correlation[call] == 0 ? arguments_.end() : arguments_.find(c.correlation[call]);
    if (found == arguments_.end()) continue;
    c.stream[call] = found->second.stream;
    c.event[call] = found->second.event;
  }
  return resolved_;
}

}  // namespace stepscope::kineto
