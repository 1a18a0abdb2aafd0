// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/graph/build_graph.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <set>

#include "core/simulate/graph/device_tasks.hpp"
#include "core/simulate/graph/host_tasks.hpp"
#include "core/simulate/graph/loader_takes.hpp"
#include "core/simulate/graph/production.hpp"
#include "core/simulate/sample.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

// The queue depth of drivers of 2026, used where the run never filled its queue.
constexpr std::uint64_t kUsualQueueDepth = 1022;

// The loop's thread is 0; engine threads and whoever launches device work follow.
std::map<ThreadId, std::uint32_t> number_threads(const ProcessIndex& index) {
  std::set<ThreadId> others(index.threads.workers().begin(), index.threads.workers().end());
  for (const DeviceOpId op : index.dependencies.ops()) {
    const CallId call = index.trace.launch_of(op);
    if (call != kNone)
      others.insert(index.trace.host_ranges().thread[index.trace.calls().range[call]]);
  }
  others.erase(index.threads.loop());
  std::map<ThreadId, std::uint32_t> numbers{{index.threads.loop(), 0}};
  for (const ThreadId thread : others)
    numbers.emplace(thread, static_cast<std::uint32_t>(numbers.size()));
  return numbers;
}

// The run ends with a wait that its steps do not have: no part of the loop.
void forget_final_wait(const Trace& trace, const Steps& steps, TaskGraph& graph) {
  const std::size_t n = graph.steps.size();
  if (n < 2 || graph.steps.back().row + 1 != steps.list.size()) return;
  const std::uint32_t begin = graph.steps[n - 2].end_task;
  const auto waits = [&](std::uint32_t first, std::uint32_t last) {
    return std::count_if(graph.host.begin() + first, graph.host.begin() + last,
                         [](const HostTask& task) { return is_sync(task.api); });
  };
  const std::uint32_t before = n > 2 ? graph.steps[n - 3].end_task : 0;
  auto excess = waits(begin, graph.steps[n - 1].end_task) - waits(before, begin);
  const auto& begins = trace.device_ops().begin;
  const std::int64_t last_begin = begins.empty() ? 0 : begins.back();
  for (std::uint32_t i = graph.steps[n - 1].end_task; i-- > begin && excess > 0;) {
    HostTask& task = graph.host[i];
    if (task.op_count > 0) return;
    if (!is_sync(task.api) || task.end < last_begin) continue;
    task.wait = WaitKind::none;
    --excess;
  }
}

double typical_copy_call(const TaskGraph& graph) {
  std::vector<double> calls;
  for (const HostTask& task : graph.host) {
    if (task.api == ApiKind::memcpy_async && task.wait == WaitKind::none) calls.push_back(task.ns);
  }
  return calls.empty() ? graph.launch_call_ns : median_of(std::move(calls));
}

std::uint32_t cores_of(const Trace& trace, ProcessId process) {
  const auto& facts = trace.data().processes[process].facts;
  const auto found = facts.find("machine.cpus");
  std::uint32_t cores = 0;
  if (found != facts.end())
    (void)std::from_chars(found->second.data(), found->second.data() + found->second.size(), cores);
  return cores;
}

// Returns the share of its time awake in which the loop's thread had a core.
double on_core_share(const ProcessIndex& index) {
  const ThreadId loop = index.threads.loop();
  const auto use = index.cpu.use(loop, intersect(index.run, index.cpu.waits_known(loop)));
  if (!use || use->ran + use->waited == 0) return 1;
  return static_cast<double>(use->ran) / static_cast<double>(use->ran + use->waited);
}

}  // namespace

TaskGraph build_graph(const ProcessIndex& index, const Steps& steps, const Attribution& attribution,
                      const std::vector<StepInSample>& sample) {
  TaskGraph graph;
  const Edges& edges = index.dependencies.edges();
  graph.queue_depth = edges.queue_depth > 0 ? edges.queue_depth : kUsualQueueDepth;
  graph.latency_ns = static_cast<double>(edges.launch_latency_ns);
  graph.dispatch_ns = static_cast<double>(index.dependencies.dispatch_ns());
  graph.launch_call_ns = static_cast<double>(index.dependencies.typical_launch_call_ns());
  const auto numbers = number_threads(index);
  graph.threads = static_cast<std::uint32_t>(numbers.size());
  const LoaderTakes takes(index);
  const AskedLoaders asked = asked_loaders(index, steps);
  HostTasks host_tasks(index, takes, numbers);
  for (std::uint32_t i = 0; i < sample.size(); ++i) {
    const std::uint32_t row = sample[i].row;
    host_tasks.append(host_time_of(steps, row), i, graph.host);
    graph.steps.push_back(
        {.row = row,
         .stands_for = sample[i].stands_for,
         .end_task = static_cast<std::uint32_t>(graph.host.size()),
         .measured_ns = static_cast<double>(steps.list[row].wall_ns()),
         .follows_on = i > 0 && sample[i - 1].row + 1 == row,
         .asks_loader = static_cast<std::uint32_t>(asked.asks[row]) - (asked.begins(row) ? 1 : 0),
         .begins_loader = asked.begins(row)});
  }
  graph.producers.resize(host_tasks.producers());
  DeviceTasks device_tasks(index, attribution, graph);
  device_tasks.append_all();
  find_waits(index, device_tasks, graph);
  learn_queue(index.trace, graph);
  forget_final_wait(index.trace, steps, graph);
  graph.copy_call_ns = typical_copy_call(graph);
  learn_production(index, steps, takes, graph);
  graph.cores = cores_of(index.trace, index.process);
  graph.on_core = on_core_share(index);
  return graph;
}

}  // namespace stepscope
