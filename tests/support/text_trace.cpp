// SPDX-License-Identifier: Apache-2.0
#include "tests/support/text_trace.hpp"

#include <cctype>
#include <map>
#include <stdexcept>

namespace stepscope::testing {
namespace {

[[noreturn]] void reject(const std::string& what) {
  throw std::invalid_argument(what);
}

template <class T>
T look_up(const std::map<std::string, T>& table, const std::string& key) {
  const auto at = table.find(key);
  if (at == table.end()) reject("unknown word '" + key + "'");
  return at->second;
}

const std::map<std::string, HostKind> kHostKinds = {
    {"op", HostKind::op},
    {"node", HostKind::backward_node},
    {"scope", HostKind::user_scope},
    {"nvtx", HostKind::nvtx_range},
    {"python", HostKind::python_function},
    {"overhead", HostKind::overhead},
    {"gc", HostKind::garbage_collection},
    {"off_cpu", HostKind::off_cpu},
    {"io", HostKind::io},
    {"other", HostKind::other},
};

const std::map<std::string, CopyKind> kCopyKinds = {{"h2d", CopyKind::host_to_device},
                                                    {"d2h", CopyKind::device_to_host},
                                                    {"d2d", CopyKind::device_to_device},
                                                    {"peer", CopyKind::peer}};

const std::map<std::string, MemoryKind> kMemoryKinds = {{"pageable", MemoryKind::pageable},
                                                        {"pinned", MemoryKind::pinned},
                                                        {"device", MemoryKind::device},
                                                        {"unknown", MemoryKind::unknown}};

const std::map<std::string, SourceKind> kSources = {{"stepscope", SourceKind::stepscope},
                                                    {"kineto", SourceKind::kineto},
                                                    {"nsys", SourceKind::nsys}};

const std::map<std::string, bool Collected::*> kCollected = {
    {"device_ops", &Collected::device_ops},
    {"api_calls", &Collected::api_calls},
    {"api_arguments", &Collected::api_arguments},
    {"framework_ops", &Collected::framework_ops},
    {"user_scopes", &Collected::user_scopes},
    {"python_functions", &Collected::python_functions},
    {"call_sites", &Collected::call_sites},
    {"garbage_collection", &Collected::garbage_collection},
    {"off_cpu", &Collected::off_cpu},
    {"io", &Collected::io}};

// "p1.d2.s7": the number after each letter; letters left out are 0.
std::uint32_t part(std::string_view name, char letter) {
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (name[at] != letter || (at > 0 && name[at - 1] != '.')) continue;
    const std::size_t end = std::min(name.size(), name.find('.', at));
    return static_cast<std::uint32_t>(parse_count(name.substr(at + 1, end - at - 1)));
  }
  return 0;
}

void note_kind(std::map<std::string, bool>& collected, HostKind kind) {
  switch (kind) {
    case HostKind::op:
    case HostKind::backward_node:
      collected.try_emplace("framework_ops", true);
      break;
    case HostKind::python_function:
      collected.try_emplace("python_functions", true);
      break;
    case HostKind::garbage_collection:
      collected.try_emplace("garbage_collection", true);
      break;
    case HostKind::off_cpu:
      collected.try_emplace("off_cpu", true);
      break;
    case HostKind::io:
      collected.try_emplace("io", true);
      break;
    default:
      break;
  }
}

}  // namespace

const std::map<std::string, TextTrace::Reader, std::less<>>& TextTrace::readers() {
  static const std::map<std::string, Reader, std::less<>> table = {
      {"source", &TextTrace::source},
      {"collected", &TextTrace::collected},
      {"process", &TextTrace::process},
      {"device", &TextTrace::device},
      {"thread", &TextTrace::thread},
      {"no_device", &TextTrace::no_device},
      {"step", &TextTrace::step},
      {"call", &TextTrace::call},
      {"launch", &TextTrace::launch},
      {"kernel", &TextTrace::kernel},
      {"copy", &TextTrace::copy},
      {"set", &TextTrace::set},
      {"mark", &TextTrace::mark},
      {"cpu", &TextTrace::cpu},
      {"sample", &TextTrace::sample},
      {"loop", &TextTrace::loop},
      {"graph_node", &TextTrace::graph_node},
      {"nccl", &TextTrace::nccl},
      {"counter", &TextTrace::counter},
      {"multiprocessors", &TextTrace::multiprocessors},
      {"device_memory", &TextTrace::device_memory},
  };
  return table;
}

bool TextTrace::add(const TextLine& line) {
  if (kHostKinds.contains(line.words[0])) {
    host_range(line);
    return true;
  }
  const auto at = readers().find(line.words[0]);
  if (at == readers().end()) return false;
  (this->*at->second)(line);
  return true;
}

void TextTrace::shift(std::int64_t host_ns, std::int64_t device_ns, std::uint32_t correlation) {
  host_shift_ = kBase + host_ns;
  device_shift_ = kBase + device_ns;
  correlation_shift_ = correlation;
}

void TextTrace::source(const TextLine& line) {
  make_.data.source = look_up(kSources, line.word(1));
}

void TextTrace::collected(const TextLine& line) {
  look_up(kCollected, line.word(1));
  collected_[line.word(1)] = line.word(2) == "yes";
}

void TextTrace::process(const TextLine& line) {
  const std::uint32_t id = part(line.word(1), 'p');
  if (make_.data.processes.size() <= id) make_.data.processes.resize(id + 1);
  Process& process = make_.data.processes[id];
  process.pid = 100 + id;
  process.rank = static_cast<std::int32_t>(parse_count(line.option("rank", "0")));
  process.world_size = static_cast<std::int32_t>(parse_count(line.option("world", "1")));
  constexpr std::pair<const char*, const char*> kFacts[] = {
      {"cores", "machine.cpus"},
      {"torch", "torch"},
      {"threads", "env.OMP_NUM_THREADS"},
      {"local_ranks", "env.LOCAL_WORLD_SIZE"}};
  for (const auto& [option, fact] : kFacts) {
    if (const std::string value = line.option(option, ""); !value.empty())
      process.facts[fact] = value;
  }
}

void TextTrace::device(const TextLine& line) {
  const std::string& name = line.word(1);
  make_.data.devices.push_back({.process = part(name, 'p'),
                                .index = part(name, 'd'),
                                .name = line.option("name", "Test GPU")});
}

void TextTrace::thread(const TextLine& line) {
  make_.thread(part(line.word(1), 't'), line.word(2), part(line.word(1), 'p'));
}

void TextTrace::no_device(const TextLine& /*line*/) {
  make_.data.devices.clear();
  collected_["device_ops"] = false;
}

void TextTrace::step(const TextLine& line) {
  Step step;
  step.id = static_cast<std::int64_t>(steps_.list.size());
  step.window = {host_time(line.word(1)), host_time(line.word(2))};
  step.host = step.window;
  step.wall_known = !(line.words.size() > 3 && line.words[3] == "unknown");
  step.steady = step.wall_known;
  steps_.list.push_back(step);
}

RangeId TextTrace::add_range(HostKind kind, const TextLine& line) {
  note_kind(collected_, kind);
  const SiteKind site_kind =
      kind == HostKind::python_function ? SiteKind::function : SiteKind::call;
  const ThreadId thread = thread_of(line.word(1));
  const RangeId range = make_.range(kind, line.word(4), 0, host_time(line.word(2)),
                                    host_time(line.word(3)), site_of(line, site_kind));
  make_.data.host_ranges.thread[range] = thread;
  if (line.has("seq")) {
    make_.data.host_ranges.sequence[range] =
        static_cast<std::uint32_t>(parse_count(line.option("seq"))) + correlation_shift_;
  }
  if (line.has("of")) {
    make_.data.host_ranges.forward_thread[range] =
        static_cast<std::uint32_t>(parse_count(line.option("of")));
  }
  return range;
}

void TextTrace::host_range(const TextLine& line) {
  add_range(look_up(kHostKinds, line.word(0)), line);
}

void TextTrace::call(const TextLine& line) {
  const std::string& name = line.word(4);
  const HostKind kind = name.starts_with("cuda") ? HostKind::runtime_call : HostKind::driver_call;
  Calls& calls = make_.data.calls;
  calls.range.push_back(add_range(kind, line));
  calls.api.push_back(classify_api(name));
  calls.correlation.push_back(correlation_of(line));
  calls.stream.push_back(line.has("stream") ? stream_of(line.option("stream")) : kNone);
  calls.event.push_back(parse_count(line.option("event", "0")));
  calls.bytes.push_back(kUnknownBytes);
  if (line.has("stream") || line.has("event")) collected_.try_emplace("api_arguments", true);
}

// launch t1 10 14 s7 16 40 NAME: the call and its kernel on one line.
void TextTrace::launch(const TextLine& line) {
  const std::string id = std::to_string(own_correlation_++ - correlation_shift_);
  TextLine host = line;
  host.words = {"call", line.word(1), line.word(2), line.word(3), "cudaLaunchKernel"};
  host.options["id"] = id;
  if (collected_.contains("api_arguments")) host.options["stream"] = line.word(4);
  call(host);
  TextLine device = line;
  device.words = {"kernel", line.word(4), line.word(5), line.word(6), line.word(7)};
  device.options["id"] = id;
  kernel(device);
}

LaunchConfigId TextTrace::blocks(const std::string& count) {
  LaunchConfig config;
  config.grid = {static_cast<std::uint32_t>(parse_count(count)), 1, 1};
  config.block = {128, 1, 1};
  make_.data.launch_configs.push_back(config);
  return static_cast<LaunchConfigId>(make_.data.launch_configs.size() - 1);
}

DeviceOpId TextTrace::add_device_op(DeviceOpKind kind, const TextLine& line, std::size_t first_word,
                                    std::string_view name, std::uint32_t correlation) {
  const DeviceOpId op = make_.device_op(kind, name, stream_of(line.word(first_word)),
                                        device_time(line.word(first_word + 1)),
                                        device_time(line.word(first_word + 2)), correlation);
  DeviceOps& ops = make_.data.device_ops;
  ops.graph[op] = static_cast<std::uint32_t>(parse_count(line.option("graph", "0")));
  ops.graph_node[op] = parse_count(line.option("node", "0"));
  if (line.has("bytes")) ops.bytes[op] = parse_count(line.option("bytes"));
  if (line.has("blocks")) ops.launch_config[op] = blocks(line.option("blocks"));
  collected_.try_emplace("device_ops", true);
  return op;
}

void TextTrace::kernel(const TextLine& line) {
  const bool is_whole_graph = line.has("whole");
  add_device_op(is_whole_graph ? DeviceOpKind::graph : DeviceOpKind::kernel, line, 1, line.word(4),
                correlation_of(line));
}

void TextTrace::copy(const TextLine& line) {
  const DeviceOpId op =
      add_device_op(DeviceOpKind::memcpy, line, 1, "Memcpy", correlation_of(line));
  DeviceOps& ops = make_.data.device_ops;
  ops.copy_kind[op] = look_up(kCopyKinds, line.word(4));
  ops.source_memory[op] = look_up(kMemoryKinds, line.word(5));
  ops.target_memory[op] = look_up(kMemoryKinds, line.word(6));
}

// multiprocessors N: of device 0.
void TextTrace::multiprocessors(const TextLine& line) {
  make_.data.devices.at(0).multiprocessors = static_cast<std::uint32_t>(parse_count(line.word(1)));
}

// device_memory BYTES: of device 0.
void TextTrace::device_memory(const TextLine& line) {
  make_.data.devices.at(0).memory_bytes = parse_count(line.word(1));
}

void TextTrace::set(const TextLine& line) {
  add_device_op(DeviceOpKind::memset, line, 1, "Memset (Device)", correlation_of(line));
}

// graph_node THREAD TIME ID [from=ID] [at=FILE:LINE]
void TextTrace::graph_node(const TextLine& line) {
  GraphNodes& nodes = make_.data.graph_nodes;
  nodes.thread.push_back(thread_of(line.word(1)));
  nodes.time.push_back(host_time(line.word(2)));
  nodes.node.push_back(parse_count(line.word(3)));
  nodes.original.push_back(parse_count(line.option("from", "0")));
  nodes.site.push_back(site_of(line, SiteKind::call));
}

// nccl THREAD B E NAME [comm=N bytes=N [reduce=sum] [peer=N]]
void TextTrace::nccl(const TextLine& line) {
  const RangeId range = add_range(HostKind::nvtx_range, line);
  make_.data.host_ranges.category[range] = make_.data.strings.intern("NCCL");
  if (!line.has("bytes")) return;
  Collectives& calls = make_.data.collectives;
  calls.range.push_back(range);
  calls.communicator.push_back(parse_count(line.option("comm", "1")));
  calls.bytes.push_back(parse_count(line.option("bytes")));
  calls.reduce.push_back(line.has("reduce") ? ReduceOperation::sum : ReduceOperation::none);
  calls.peer.push_back(
      line.has("peer") ? static_cast<std::uint32_t>(parse_count(line.option("peer"))) : kNone);
}

ThreadId TextTrace::thread_of(std::string_view name) {
  return make_.thread(part(name, 't'), "", part(name, 'p'));
}

StreamId TextTrace::stream_of(std::string_view name) {
  return make_.stream(part(name, 's'), part(name, 'd'), part(name, 'p'));
}

SiteId TextTrace::site_of(const TextLine& line, SiteKind kind) {
  if (!line.has("at")) return kNone;
  const std::string at = line.option("at");
  const std::size_t colon = at.rfind(':');
  if (colon == std::string::npos) reject("at=" + at + " is not file:line");
  const auto [place, is_new] = sites_.try_emplace({at, kind}, kNone);
  if (is_new) {
    const auto number = static_cast<std::uint32_t>(parse_count(at.substr(colon + 1)));
    place->second = make_.site(at.substr(0, colon), number, kind);
    if (line.has("function"))
      make_.data.sites[place->second].function = make_.data.strings.intern(line.option("function"));
  }
  return place->second;
}

std::uint32_t TextTrace::correlation_of(const TextLine& line) const {
  if (!line.has("id")) return 0;
  return static_cast<std::uint32_t>(parse_count(line.option("id"))) + correlation_shift_;
}

std::int64_t TextTrace::host_time(const std::string& text) const {
  return host_shift_ + parse_time(text);
}

std::int64_t TextTrace::device_time(const std::string& text) const {
  return device_shift_ + parse_time(text);
}

Trace TextTrace::build() {
  Collected& collected = make_.data.collected;
  collected.api_calls = make_.data.calls.size() > 0;
  collected.user_scopes = true;
  for (const auto& [name, value] : collected_) collected.*kCollected.at(name) = value;
  steps_.thread = make_.thread(1);
  if (has_steps()) steps_.found_by = FoundBy::user_marker;
  return make_.build();
}

}  // namespace stepscope::testing
