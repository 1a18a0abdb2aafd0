// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/process_index.hpp"

#include <map>

#include "core/attribution/device/operation_class.hpp"

namespace stepscope {
namespace {

// The class of each op; small kernels written in an optimizer's step are its work, whatever their
// names.
std::vector<Cause> causes_of_ops(const Trace& trace, const std::vector<DeviceOpId>& ops,
                                 const OpPlaces& places, const OptimizerWork& optimizer) {
  const DeviceOps& d = trace.device_ops();
  std::map<std::pair<StringId, int>, Cause> by_name;
  std::vector<Cause> causes(d.size(), Cause::gpu_other);
  for (DeviceOpId op : ops) {
    const int memory = static_cast<int>(d.kind[op]) * 64 + static_cast<int>(d.copy_kind[op]) * 8 +
                       static_cast<int>(d.source_memory[op]);
    const auto [at, is_new] = by_name.try_emplace({d.name[op], memory}, Cause::gpu_other);
    if (is_new) {
      at->second = classify_device_op(d.kind[op], d.copy_kind[op], d.source_memory[op],
                                      trace.text(d.name[op]));
    }
    causes[op] = at->second;
    const bool small_kernel = causes[op] == Cause::gpu_elementwise ||
                              causes[op] == Cause::gpu_reduce || causes[op] == Cause::gpu_other;
    const RangeId range = places.range_of(op);
    if (small_kernel && range != kNone && optimizer.holds(range)) causes[op] = Cause::gpu_optimizer;
  }
  return causes;
}

}  // namespace

ProcessIndex::ProcessIndex(const Trace& t, const Steps& s,
                           std::optional<NamePattern> phases_of_user)
    : trace(t),
      process(s.process),
      threads(trace, s),
      cpu(trace),
      samples(trace),
      collective_waits(trace, threads, cpu, samples),
      optimizer(trace),
      phases(trace, s, threads, cpu, collective_waits, optimizer, std::move(phases_of_user)),
      sites(trace, threads),
      dependencies(trace, s.process),
      places(trace, threads, phases, sites, dependencies.ops()),
      shared_devices(trace, process),
      causes(trace, threads, cpu, optimizer),
      sampled(trace, threads, cpu, collective_waits, causes, samples),
      cause_of_op(causes_of_ops(trace, dependencies.ops(), places, optimizer)),
      run{s.list.front().window.begin, s.list.back().window.end} {}

}  // namespace stepscope
