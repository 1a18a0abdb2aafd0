// SPDX-License-Identifier: Apache-2.0
#include "core/importers/kineto/entities.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/importers/kineto/json/decimal.hpp"
#include "core/importers/kineto/names.hpp"

namespace stepscope::kineto {
namespace {

// Pids and tids that are text ("Spans") get numbers of their own, far below any real id.
constexpr std::int64_t kTextIds = std::numeric_limits<std::int64_t>::min();

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

ProcessId Entities::process(std::int64_t pid) {
  if (pid < 0) return kNone;
  const auto [at, is_new] =
      processes_.try_emplace(pid, static_cast<ProcessId>(data_.processes.size()));
  if (is_new) data_.processes.push_back({.pid = pid});
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
  const auto number = fields_.id<std::uint32_t>(event, stream, otherwise);
  if (number == kNone) return kNone;
  return add_stream(fields_.id<std::uint32_t>(event, device, 0),
                    fields_.id<std::uint32_t>(event, context, 0), number);
}

void Entities::label(const Event& event) {
  const std::string_view what = event.get(Field::name).text;
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

ProcessId Entities::finish() {
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
  for (Stream& stream : data_.streams) stream.process = owner;
  return owner;
}

}  // namespace stepscope::kineto
