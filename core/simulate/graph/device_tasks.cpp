// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/graph/device_tasks.hpp"

#include <algorithm>

namespace stepscope {
namespace {

// The walk's limit: more of a gap than this has no explanation.
constexpr double kExplainedDelayNs = 10'000;

// PyTorch's kernels of torch.cat and torch.stack.
bool joins_tensors(std::string_view kernel) {
  return kernel.find("CatArray") != std::string_view::npos;
}

bool is_copy_or_set(DeviceOpKind kind) {
  return kind == DeviceOpKind::memcpy || kind == DeviceOpKind::memset;
}

}  // namespace

DeviceTasks::DeviceTasks(const ProcessIndex& index, const Attribution& attribution,
                         TaskGraph& graph)
    : index_(index),
      trace_(index.trace),
      attribution_(attribution),
      graph_(graph),
      row_of_(trace_.device_ops().size(), kNone),
      stream_numbers_(trace_.data().streams.size(), kNone),
      roles_(stream_roles(trace_)) {}

std::uint32_t DeviceTasks::number_of(StreamId stream) {
  std::uint32_t& number = stream_numbers_[stream];
  if (number == kNone) number = graph_.streams++;
  return number;
}

void DeviceTasks::append_all() {
  for (HostTask& task : graph_.host) append(task);
  link();
}

// A call may hold others, of which one made the launch.
void DeviceTasks::append(HostTask& task) {
  task.first_op = static_cast<std::uint32_t>(graph_.device.size());
  if (task.call == kNone) return;
  const HostRanges& h = trace_.host_ranges();
  for (RangeId r = task.range; r < h.size() && h.thread[r] == h.thread[task.range] &&
                               (r == task.range || h.begin[r] < task.end);
       ++r) {
    const CallId call = trace_.call_of(r);
    if (call == kNone) continue;
    const ApiKind api = trace_.calls().api[call];
    if (task.api == ApiKind::other && api != ApiKind::other) {
      task.call = call;
      task.api = api;
    }
    for (const DeviceOpId op : trace_.ops_launched_by(call)) {
      if (row_of_[op] == kNone) add(task, op);
    }
  }
  task.op_count = static_cast<std::uint32_t>(graph_.device.size()) - task.first_op;
  if (task.op_count > 0 && index_.dependencies.blocked_on_full_queue(task.call))
    task.ns = graph_.launch_call_ns;
}

void DeviceTasks::add(const HostTask& task, DeviceOpId op) {
  const DeviceOps& d = trace_.device_ops();
  const StreamRole role = roles_[d.stream[op]];
  DeviceTask out;
  out.op = op;
  out.ns = static_cast<double>(d.end[op] - d.begin[op]);
  out.bytes = d.bytes[op];
  out.stream = number_of(d.stream[op]);
  out.cause = attribution_.ops[op].cause;
  out.phase = attribution_.ops[op].phase;
  out.forward_phase = task.forward_phase;
  const CodeLine line = index_.places.of(op).line;
  out.site = line.site;
  out.direction = line.direction;
  out.copy = d.copy_kind[op];
  out.joins = joins_tensors(trace_.text(d.name[op]));
  const ThreadId thread = trace_.host_ranges().thread[task.range];
  const bool is_loops = task.thread == 0 || index_.threads.is_worker(thread);
  out.extends_step = is_loops && (role == StreamRole::main ||
                                  (role == StreamRole::side && !is_copy_or_set(d.kind[op])));
  row_of_[op] = static_cast<std::uint32_t>(graph_.device.size());
  set_delays(task, out);
  graph_.device.push_back(out);
}

void DeviceTasks::set_delays(const HostTask& task, DeviceTask& out) {
  const DeviceOps& d = trace_.device_ops();
  const Readiness ready = index_.dependencies.readiness(out.op);
  const double begin = static_cast<double>(d.begin[out.op] - task.begin);
  const double issued =
      static_cast<double>(index_.dependencies.issue_time(out.op) - task.begin) + graph_.latency_ns;
  const double late = static_cast<double>(d.begin[out.op] - ready.time);
  out.arrival_ns = issued;
  out.gap_ns = graph_.dispatch_ns;
  if (ready.binding == Binding::launch) {
    out.arrival_ns = std::min(begin, issued + kExplainedDelayNs);
  } else if (ready.binding != Binding::none) {
    out.gap_ns = std::min(late, kExplainedDelayNs);
  }
  if (late > kExplainedDelayNs + graph_.latency_ns) late_.push_back(row_of_[out.op]);
}

// Edges between ops, once all have rows.
void DeviceTasks::link() {
  const DeviceOps& d = trace_.device_ops();
  const bool has_arguments = trace_.collected().api_arguments;
  if (!has_arguments) {
    for (std::uint32_t row = 0; row < graph_.device.size(); ++row) by_end_.push_back(row);
    std::sort(by_end_.begin(), by_end_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return d.end[graph_.device[a].op] < d.end[graph_.device[b].op];
    });
  }
  auto late = late_.begin();
  for (std::uint32_t row = 0; row < graph_.device.size(); ++row) {
    DeviceTask& task = graph_.device[row];
    task.first_awaited = static_cast<std::uint32_t>(graph_.awaited.size());
    const DeviceOpId before = index_.dependencies.before_in_graph(task.op);
    task.after = before == kNone ? kNone : row_of_[before];
    if (task.after != kNone && task.after >= row) task.after = kNone;
    for (const DeviceOpId other : index_.dependencies.awaited_by_events(task.op)) {
      if (row_of_[other] != kNone) graph_.awaited.push_back(row_of_[other]);
    }
    if (late != late_.end() && *late == row) {
      ++late;
      const std::uint32_t other = has_arguments ? kNone : ended_just_before(task.op);
      if (other != kNone && other < row) {
        graph_.awaited.push_back(other);
        ++graph_.inferred_edges;
      }
    }
    task.awaited_count = static_cast<std::uint32_t>(graph_.awaited.size()) - task.first_awaited;
  }
}

std::uint32_t DeviceTasks::ended_just_before(DeviceOpId op) const {
  const DeviceOps& d = trace_.device_ops();
  const auto after = std::upper_bound(
      by_end_.begin(), by_end_.end(), d.begin[op],
      [&](std::int64_t t, std::uint32_t row) { return t < d.end[graph_.device[row].op]; });
  if (after == by_end_.begin()) return kNone;
  const std::uint32_t row = *(after - 1);
  const DeviceOpId other = graph_.device[row].op;
  const bool near = static_cast<double>(d.begin[op] - d.end[other]) <= kExplainedDelayNs;
  return near && d.stream[other] != d.stream[op] ? row : kNone;
}

}  // namespace stepscope
