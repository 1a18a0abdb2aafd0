// SPDX-License-Identifier: Apache-2.0
#include "core/importers/kineto/entities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <vector>

#include "core/importers/kineto/json/decimal.hpp"
#include "core/importers/kineto/names.hpp"
#include "core/importers/kineto/thread_layers.hpp"

namespace stepscope::kineto {
namespace {

// Pids and tids that are text ("Spans") get numbers of their own, far below any real id.
constexpr std::int64_t kTextIds = std::numeric_limits<std::int64_t>::min();

constexpr std::uint32_t kAddresses = std::uint32_t{1}
                                     << 31U;  // numbers of streams below are their own

bool is_text_id(std::int64_t id) {
  return id < kTextIds + (std::int64_t{1} << 32U);
}

}  // namespace

std::int64_t Entities::number_of(const Event& event, Field field) {
  const JsonValue value = event.get(field);
  if (value.kind == JsonValue::Kind::absent) fields_.count_missing();
  const std::optional<std::int64_t> number = integer(value.text);
  if (number && !is_text_id(*number)) return *number;
  return kTextIds + fields_.intern(value);
}

// Mergers of ranks write pids as "[TP01-DP00] 4100".
std::optional<std::int64_t> Entities::written_pid(std::int64_t pid) const {
  if (!is_text_id(pid)) return pid >= 0 ? std::optional(pid) : std::nullopt;
  const std::string_view text = data_.strings.view(static_cast<StringId>(pid - kTextIds));
  const std::size_t last = text.find_last_not_of("0123456789");
  return integer(text.substr(last == std::string_view::npos ? 0 : last + 1));
}

ProcessId Entities::process(std::int64_t pid) {
  const std::optional<std::int64_t> number = written_pid(pid);
  if (!number) return kNone;
  const auto [at, is_new] =
      processes_.try_emplace(pid, static_cast<ProcessId>(data_.processes.size()));
  if (is_new) data_.processes.push_back({.pid = *number});
  return at->second;
}

ThreadId Entities::add_thread(const Key& key) {
  const auto [at, is_new] = threads_.try_emplace(key, static_cast<ThreadId>(data_.threads.size()));
  if (!is_new) return at->second;
  const bool text = is_text_id(key.second);
  data_.threads.push_back({process(key.first), text ? -1 : key.second, {}});
  if (text) {
    data_.threads.back().name = data_.strings.view(static_cast<StringId>(key.second - kTextIds));
  }
  return at->second;
}

ThreadId Entities::thread_of(const Event& event) {
  const Key key{number_of(event, Field::pid), number_of(event, Field::tid)};
  if (last_thread_ == kNone || key != last_key_) {
    last_key_ = key;
    last_thread_ = add_thread(key);
  }
  return last_thread_;
}

ProcessId Entities::process_of(const Event& event) {
  const auto at = processes_.find(fields_.integer(event, Field::pid).value_or(-1));
  return at == processes_.end() ? kNone : at->second;
}

StreamId Entities::add_stream(std::uint32_t device, std::uint32_t context, std::uint32_t stream) {
  const auto [at, is_new] =
      streams_.try_emplace({device, context, stream}, static_cast<StreamId>(data_.streams.size()));
  if (is_new) {
    data_.streams.push_back(
        {.process = kNone, .device = device, .context = context, .stream = stream});
  }
  return at->second;
}

// The args say it exactly; pid and tid repeat device and stream (but tid is made positive).
StreamId Entities::stream_of(const Event& event, std::uint32_t otherwise) {
  const auto first_of = [&](Field a, Field b, Field c) {
    return event.has(a) ? a : event.has(b) ? b : c;
  };
  const Field device = first_of(Field::device, Field::in_device, Field::pid);
  const Field context = first_of(Field::context, Field::in_context, Field::in_context);
  const Field stream = first_of(Field::stream, Field::stream, Field::tid);
  if (!event.has(device)) fields_.count_missing();
  if (!event.has(stream)) fields_.count_missing();
  const std::uint32_t number = stream_number(event, stream, otherwise);
  if (number == kNone) return kNone;
  return add_stream(device_of(event, device), context_of(event, context), number);
}

// AMD's and Intel's streams are addresses: each is a stream of its own, under a number made here.
std::uint32_t Entities::stream_number(const Event& event, Field field, std::uint32_t otherwise) {
  const std::string_view text = event.get(field).text;
  const std::optional<std::int64_t> number = integer(text);
  const bool is_number = number && *number <= std::numeric_limits<std::uint32_t>::max();
  const bool is_address = !is_number && !text.empty() && text[0] >= '0' && text[0] <= '9';
  if (!is_address) return fields_.id<std::uint32_t>(event, field, otherwise);
  return kAddresses + fields_.intern(event.get(field));
}

// Ascend's devices stand under process ids of the profiler's own making.
std::uint32_t Entities::device_of(const Event& event, Field field) {
  if (!event.has(Field::task_type)) return fields_.id<std::uint32_t>(event, field, 0);
  const auto next = static_cast<std::uint32_t>(device_of_pid_.size());
  return device_of_pid_.try_emplace(number_of(event, Field::pid), next).first->second;
}

// Intel's contexts are addresses, written as text.
std::uint32_t Entities::context_of(const Event& event, Field field) {
  const JsonValue value = event.get(field);
  if (value.kind == JsonValue::Kind::string && value.text.starts_with("0x"))
    return fields_.intern(value);
  return fields_.id<std::uint32_t>(event, field, 0);
}

void Entities::label(const Event& event) {
  const std::string_view what = event.get(Field::name).text;
  if (what == "process_labels")
    process_labels_[number_of(event, Field::pid)] = fields_.text(event.get(Field::labels));
  if (what != "process_name" && what != "thread_name") return;
  const Key key{number_of(event, Field::pid),
                what == "thread_name" ? number_of(event, Field::tid) : 0};
  const std::string_view name = fields_.text(event.get(Field::label_name));
  if (what == "process_name") {
    process_names_[key.first] = name;
  } else {
    name_thread(key, parse_thread_name(name));
  }
}

// Kineto may label one thread twice, by its own name and by that of the process: the own name
// counts.
void Entities::name_thread(const Key& key, std::string_view name) {
  std::string& known = thread_names_[key];
  const auto process = process_names_.find(key.first);
  const bool generic = process != process_names_.end() && name == process->second;
  if (known.empty() || !generic) known = name;
}

ProcessId Entities::main_process() {
  if (data_.processes.empty()) return process(0);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> weight(data_.processes.size());
  const auto process_at = [this](RangeId range) {
    return data_.threads[data_.host_ranges.thread[range]].process;
  };
  for (RangeId range : data_.calls.range) {
    if (process_at(range) != kNone) ++weight[process_at(range)].first;
  }
  for (RangeId range = 0; range < data_.host_ranges.size(); ++range) {
    if (process_at(range) != kNone) ++weight[process_at(range)].second;
  }
  return static_cast<ProcessId>(std::max_element(weight.begin(), weight.end()) - weight.begin());
}

std::string Entities::unread_device_work() const {
  const auto text_of = [](const auto& map, std::int64_t pid) {
    const auto at = map.find(pid);
    return at == map.end() ? std::string() : at->second;
  };
  for (const auto& [pid, events] : unread_) {
    const std::string name = text_of(process_names_, pid), label = text_of(process_labels_, pid);
    const std::string vendor = device_vendor(name, label);
    if (vendor.empty() || is_view_of_device(name) || events <= data_.device_ops.size()) continue;
    return fmt::format(
        "{} events of the device '{}' ({}) are in a form that stepscope does not read, so what it "
        "did "
        "would be missing from every number. Record the run with a profiler that writes PyTorch's "
        "categories for it (kernel, gpu_memcpy, ..._runtime)",
        events, name.empty() ? label : name, vendor);
  }
  return "";
}

void Entities::join_layers() {
  const std::vector<ThreadId> joined = thread_layers(data_);
  const auto is_joined = [](ThreadId thread) { return thread != kNone; };
  if (std::none_of(joined.begin(), joined.end(), is_joined)) return;
  for (ThreadId& thread : data_.host_ranges.thread)
    if (joined[thread] != kNone) thread = joined[thread];
  for (ThreadId t = 0; t < joined.size(); ++t)
    if (joined[t] != kNone)
      join_processes(data_.threads[t].process, data_.threads[joined[t]].process);
  remove_processes_without_threads();
}

// The threads of a runtime that have no counterpart are the program's, as the others are.
void Entities::join_processes(ProcessId from, ProcessId to) {
  if (from == kNone || from == to) return;
  for (Thread& thread : data_.threads)
    if (thread.process == from) thread.process = to;
}

// PyTorch writes a thread that was there before the profiler (tqdm's monitor) under number 0, which is a device's.
void Entities::give_threads_of_devices_to(ProcessId owner) {
  for (const auto& [pid, process] : processes_) {
    const auto label = process_labels_.find(pid);
    if (process == owner || label == process_labels_.end()) continue;
    if (device_vendor("", label->second).empty()) continue;
    for (Thread& thread : data_.threads)
      if (thread.process == process) thread.process = owner;
  }
  remove_processes_without_threads();
}

void Entities::remove_processes_without_threads() {
  std::vector<bool> used(data_.processes.size(), false);
  for (const Thread& thread : data_.threads)
    if (thread.process != kNone) used[thread.process] = true;
  std::vector<ProcessId> moved(used.size(), kNone);
  std::vector<Process> kept;
  for (ProcessId process = 0; process < used.size(); ++process) {
    if (!used[process]) continue;
    moved[process] = static_cast<ProcessId>(kept.size());
    kept.push_back(std::move(data_.processes[process]));
  }
  data_.processes = std::move(kept);
  for (auto& [pid, process] : processes_) process = moved[process];
  std::erase_if(processes_, [](const auto& entry) { return entry.second == kNone; });
  for (Thread& thread : data_.threads)
    if (thread.process != kNone) thread.process = moved[thread.process];
  for (ProcessId& process : data_.counters.process)
    if (process != kNone) process = moved[process];
}

// Where several ranks were merged into one file, each stream is the process's that launched most of
// its work.
void Entities::give_streams_to(ProcessId owner) {
  const HostRanges& h = data_.host_ranges;
  std::unordered_map<std::uint32_t, std::map<ProcessId, std::int64_t>> launched;  // first begins
  std::set<ProcessId> launching;
  for (CallId call = 0; call < data_.calls.size(); ++call) {
    const RangeId range = data_.calls.range[call];
    if (!is_launch(data_.calls.api[call]) || data_.calls.correlation[call] == 0) continue;
    const ProcessId process = data_.threads[h.thread[range]].process;
    launching.insert(process);
    launched[data_.calls.correlation[call]].emplace(process, h.begin[range]);
  }
  for (Stream& stream : data_.streams) stream.process = owner;
  if (launching.size() < 2) return;
  std::vector<std::map<ProcessId, std::uint64_t>> votes(data_.streams.size());
  const DeviceOps& ops = data_.device_ops;
  for (DeviceOpId op = 0; op < ops.size(); ++op) {
    const auto found = launched.find(ops.correlation[op]);
    if (found == launched.end() || ops.stream[op] >= votes.size()) continue;
    std::int64_t nearest = std::numeric_limits<std::int64_t>::min();
    for (const auto& [process, begin] : found->second)
      if (begin <= ops.begin[op]) nearest = std::max(nearest, begin);
    for (const auto& [process, begin] : found->second)
      if (begin == nearest) ++votes[ops.stream[op]][process];
  }
  for (StreamId s = 0; s < votes.size(); ++s) {
    std::uint64_t most = votes[s][owner];
    for (const auto& [process, count] : votes[s])
      if (count > most) most = count, data_.streams[s].process = process;
  }
  data_.health.notes.push_back(fmt::format(
      "{} processes launch work on devices in this file, as if the traces of several ranks had "
      "been "
      "merged: their numbers may meet, and work of one be taken for another's. Give the trace of "
      "one rank",
      launching.size()));
}

ProcessId Entities::finish() {
  if (data_.processes.size() > 1) give_threads_of_devices_to(main_process());
  const ProcessId owner = main_process();
  for (const auto& [pid, process] : processes_) {
    const auto name = process_names_.find(pid);
    if (name != process_names_.end()) data_.processes[process].name = name->second;
  }
  std::multimap<Key, Stream*> streams;
  for (Stream& stream : data_.streams) streams.emplace(Key(stream.device, stream.stream), &stream);
  for (const auto& [key, name] : thread_names_) {
    if (name.starts_with("stream ")) {
      const auto [first, last] = streams.equal_range(key);
      for (auto at = first; at != last; ++at) at->second->name = name;
    } else if (const auto thread = threads_.find(key); thread != threads_.end()) {
      data_.threads[thread->second].name = name;
    }
  }
  for (Thread& thread : data_.threads) {
    if (thread.process == kNone) thread.process = owner;
  }
  give_streams_to(owner);
  return owner;
}

}  // namespace stepscope::kineto
