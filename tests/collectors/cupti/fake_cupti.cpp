// SPDX-License-Identifier: Apache-2.0
#include "tests/collectors/cupti/fake_cupti.hpp"

#include <cstring>

namespace stepscope::cupti::fake_cupti {
namespace {

constexpr Status kInvalidParameter = 1;

// Records lie one behind the other, each as long as the longest, so that walking is simple.
constexpr std::size_t kStride = 256;

void ask_for_a_buffer() {
  std::size_t records = 0;
  if (state().buffer == nullptr && state().request != nullptr)
    state().request(&state().buffer, &state().buffer_bytes, &records);
}

Status get_version(std::uint32_t* version) {
  *version = state().version;
  return kSuccess;
}

Status subscribe(Subscriber* subscriber, Callback callback, void* /*user*/) {
  if (state().subscribe_status != kSuccess) return state().subscribe_status;
  state().callback = callback;
  state().subscribed = true;
  *subscriber = &state();
  return kSuccess;
}

Status unsubscribe(Subscriber /*subscriber*/) {
  state().subscribed = false;
  return kSuccess;
}

Status enable_callback(std::uint32_t enable, Subscriber, std::uint32_t domain, std::uint32_t id) {
  if (domain == static_cast<std::uint32_t>(Domain::resource) &&
      state().unknown_resources.contains(id))
    return kInvalidParameter;
  if (enable != 0) state().callbacks.insert({domain, id});
  if (enable == 0) state().callbacks.erase({domain, id});
  return kSuccess;
}

Status enable_domain(std::uint32_t, Subscriber, std::uint32_t) {
  return kSuccess;
}

Status register_buffers(RequestBuffer request, CompleteBuffer complete) {
  state().request = request;
  state().complete = complete;
  return kSuccess;
}

Status enable(ActivityKind kind) {
  if (state().refused.contains(kind)) return kInsufficientPrivileges;
  state().enabled.insert(kind);
  state().ever_enabled.insert(kind);
  return kSuccess;
}

Status disable(ActivityKind kind) {
  state().enabled.erase(kind);
  return kSuccess;
}

Status flush_all(std::uint32_t /*flag*/) {
  ++state().flushes;
  const std::vector<FakeRecord> records = state().waiting.take();
  if (records.empty()) return kSuccess;
  ask_for_a_buffer();
  std::uint8_t* buffer = std::exchange(state().buffer, nullptr);
  const std::vector<std::uint8_t> bytes = buffer_of(records);
  std::memcpy(buffer, bytes.data(), bytes.size());
  state().complete(nullptr, 0, buffer, state().buffer_bytes, bytes.size());
  return kSuccess;
}

Status next_record(std::uint8_t* buffer, std::size_t valid_bytes, void** record) {
  std::uint8_t* next = *record == nullptr ? buffer : static_cast<std::uint8_t*>(*record) + kStride;
  if (next >= buffer + valid_bytes) return kMaxLimitReached;
  *record = next;
  return kSuccess;
}

Status dropped_records(void*, std::uint32_t, std::size_t* dropped) {
  *dropped = std::exchange(state().dropped, 0U);
  return kSuccess;
}

Status set_thread_id_type(std::uint32_t) {
  return kSuccess;
}

Status stream_id(void*, void* stream, std::uint8_t, std::uint32_t* id) {
  *id = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(stream));
  return kSuccess;
}

Status device_id(void*, std::uint32_t* device) {
  *device = 0;
  return kSuccess;
}

// A node's id is its address.
Status graph_node_id(void* node, std::uint64_t* id) {
  *id = reinterpret_cast<std::uintptr_t>(node);
  return *id == 0 ? kInvalidParameter : kSuccess;
}

Status callback_name(std::uint32_t domain, std::uint32_t id, const char** name) {
  const auto found = state().names.find({domain, id});
  if (found == state().names.end()) return kInvalidParameter;
  *name = found->second;
  return kSuccess;
}

Status result_text(Status, const char** text) {
  *text = "CUPTI_ERROR_OF_A_TEST";
  return kSuccess;
}

}  // namespace

void State::flush() {
  (void)flush_all(kFlushCompleted);
}

State& state() {
  static State& leaked = *new State;
  return leaked;
}

Library library() {
  return {get_version, subscribe, unsubscribe, enable_callback, enable_domain,   register_buffers,
          enable,      disable,   flush_all,   next_record,     dropped_records, set_thread_id_type,
          stream_id,   device_id, result_text, graph_node_id,   callback_name};
}

std::vector<std::uint8_t> buffer_of(const std::vector<FakeRecord>& records) {
  std::vector<std::uint8_t> bytes(records.size() * kStride);
  for (std::size_t i = 0; i < records.size(); ++i) {
    std::visit([&](const auto& r) { std::memcpy(&bytes[i * kStride], &r, sizeof(r)); }, records[i]);
  }
  return bytes;
}

KernelRecord kernel(const char* name, std::uint64_t start, std::uint64_t end, std::uint32_t stream,
                    std::uint32_t correlation) {
  KernelRecord record{};
  record.kind = ActivityKind::concurrent_kernel;
  record.name = name;
  record.start = start;
  record.end = end;
  record.context = 1;
  record.stream = stream;
  record.correlation = correlation;
  return record;
}

MemcpyRecord copy(std::uint8_t kind, std::uint8_t source, std::uint8_t target, std::uint64_t bytes,
                  std::uint64_t start, std::uint64_t end, std::uint32_t correlation) {
  MemcpyRecord record{};
  record.kind = ActivityKind::memcpy;
  record.copy_kind = kind;
  record.source_kind = source;
  record.target_kind = target;
  record.bytes = bytes;
  record.start = start;
  record.end = end;
  record.context = 1;
  record.stream = 7;
  record.correlation = correlation;
  return record;
}

MemsetRecord set(std::uint64_t bytes, std::uint64_t start, std::uint64_t end,
                 std::uint32_t correlation) {
  MemsetRecord record{};
  record.kind = ActivityKind::memset;
  record.bytes = bytes;
  record.start = start;
  record.end = end;
  record.context = 1;
  record.stream = 7;
  record.correlation = correlation;
  record.memory_kind = kMemoryDevice;
  return record;
}

GraphRecord graph(std::uint32_t number, std::uint64_t start, std::uint64_t end,
                  std::uint32_t correlation) {
  GraphRecord record{};
  record.kind = ActivityKind::graph_trace;
  record.graph = number;
  record.start = start;
  record.end = end;
  record.context = record.end_context = 1;
  record.stream = 7;
  record.correlation = correlation;
  return record;
}

void make_node(std::uintptr_t node, std::uintptr_t original) {
  GraphData graph{};
  graph.node = reinterpret_cast<void*>(node);
  graph.original_node = reinterpret_cast<void*>(original);
  const ResourceData data{.context = nullptr, .stream = nullptr, .descriptor = &graph};
  const auto domain = static_cast<std::uint32_t>(Domain::resource);
  for (const std::uint32_t id : {kGraphNodeCreated, kGraphNodeCloned}) {
    const bool tells = id == kGraphNodeCreated || original != 0;
    if (tells && state().callbacks.contains({domain, id}))
      state().callback(nullptr, domain, id, &data);
  }
}

std::uint32_t call(Domain domain, std::uint32_t id, const void* parameters,
                   const std::function<void()>& inside) {
  const auto number = static_cast<std::uint32_t>(domain);
  CallbackData data{};
  data.function_params = parameters;
  data.context = &state();
  data.context_uid = 1;
  if (state().open_calls++ == 0) ++state().correlation;
  data.correlation_id = state().correlation;
  const bool enabled = state().callbacks.contains({number, id});
  if (enabled) state().callback(nullptr, number, id, &data);
  if (enabled) ask_for_a_buffer();
  if (inside) inside();
  --state().open_calls;
  data.site = 1;
  // As in CUPTI: a callback that was switched off meanwhile gets no call at the end.
  if (enabled && state().callbacks.contains({number, id}))
    state().callback(nullptr, number, id, &data);
  return data.correlation_id;
}

}  // namespace stepscope::cupti::fake_cupti
