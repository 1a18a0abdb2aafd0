// SPDX-License-Identifier: Apache-2.0
// underfilled_gpu: kernels with fewer blocks than the device has multiprocessors: most of it idles
// while it is "busy".
//
//   fires where   time(kernels with blocks < multiprocessors) >= 20 % of the device's compute time,
//                 and ceiling >= least
//   time          in which the kernel has the device to itself: beside another one it is filled
//   ceiling       time x (1 - blocks / multiprocessors), as if a kernel's work spread evenly
//   Kernels shorter than 5 us are launch_bound's matter, and what a rule further up explains is that
//   rule's: both are left out. Severity `info`: few
//   blocks may be all that the problem holds.
#include "core/findings/rules/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "core/findings/advice/advice.hpp"
#include "core/findings/wait_lines.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

constexpr const char* kUnderfilledGpu = "underfilled_gpu";
constexpr double kUnderfilledGpuLeastOfCompute = 0.20;
constexpr std::int64_t kShortKernelNs = 5'000;

std::uint32_t multiprocessors(const JudgedRun& run) {
  for (const Device& device : run.trace.data().devices)
    if (device.process == run.steps.process && device.multiprocessors > 0)
      return device.multiprocessors;
  return 0;
}

// 0: not known.
double blocks_of(const JudgedRun& run, DeviceOpId op) {
  const LaunchConfigId config = run.trace.device_ops().launch_config[op];
  if (config == kNone) return 0;
  const auto& grid = run.trace.data().launch_configs[config].grid;
  return static_cast<double>(grid[0]) * grid[1] * grid[2];
}

// When two kernels of one device run at once.
class SharedTimes {
 public:
  explicit SharedTimes(const JudgedRun& run) : run_(run) {
    const TraceData& data = run.trace.data();
    std::map<std::uint32_t, std::vector<Interval>> kernels;
    for (StreamId stream = 0; stream < data.streams.size(); ++stream)
      if (data.streams[stream].process == run.steps.process)
        for (const DeviceOpId op : run.trace.ops_of(stream))
          if (is_kernel(op)) kernels[data.streams[stream].device].push_back(time_of(op));
    for (auto& [device, times] : kernels) shared_[device] = overlaps_of(std::move(times));
  }

  std::int64_t within(Interval time, DeviceOpId op) const {
    const StreamId stream = run_.trace.device_ops().stream[op];
    const auto at = shared_.find(run_.trace.data().streams[stream].device);
    return at == shared_.end() ? 0 : total_length(clip(at->second, time));
  }

 private:
  bool is_kernel(DeviceOpId op) const {
    return run_.trace.device_ops().kind[op] == DeviceOpKind::kernel;
  }

  Interval time_of(DeviceOpId op) const {
    return {run_.trace.device_ops().begin[op], run_.trace.device_ops().end[op]};
  }

  static IntervalSet overlaps_of(std::vector<Interval> times) {
    std::sort(times.begin(), times.end(),
              [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
    std::vector<Interval> out;
    std::int64_t busy_until = std::numeric_limits<std::int64_t>::min();
    for (const Interval& time : times) {
      if (time.begin < busy_until) out.push_back({time.begin, std::min(time.end, busy_until)});
      busy_until = std::max(busy_until, time.end);
    }
    return unite(std::move(out));
  }

  const JudgedRun& run_;
  std::map<std::uint32_t, IntervalSet> shared_;  // by device
};

struct Underfilled {
  explicit Underfilled(const JudgedRun& run) : price(run) {}
  Price price;
  std::int64_t compute = 0;
  double empty_ns = 0;  // time x share of multiprocessors without a block
  std::uint64_t kernels = 0;
  bool any_known = false;
  std::vector<DeviceOpId> ops;
};

Underfilled find_underfilled(const JudgedRun& run, double all) {
  Underfilled out(run);
  const DeviceOps& d = run.trace.device_ops();
  const SharedTimes shared(run);
  DeviceOpId last = kNone;
  for (std::size_t i = 0; i < run.segments().size(); ++i) {
    const Segment& s = run.segments()[i];
    const DeviceOpId op = s.device_evidence;
    if (!is_device_compute(s.cause) || op == kNone || !run.counts(s.time.begin)) continue;
    out.compute += s.time.length();
    const double blocks = blocks_of(run, op);
    out.any_known |= blocks > 0;
    if (blocks <= 0 || blocks >= all || d.end[op] - d.begin[op] < kShortKernelNs) continue;
    if (run.unexplained_ns(i) == 0) continue;
    const std::int64_t alone = s.time.length() - shared.within(s.time, op);
    if (alone == 0) continue;
    out.price.add(s, alone);
    out.empty_ns += static_cast<double>(alone) * (1 - blocks / all);
    out.ops.push_back(op);
    if (op != last) ++out.kernels;
    last = op;
  }
  return out;
}

}  // namespace

Judgement judge_underfilled_gpu(const JudgedRun& run) {
  const double all = multiprocessors(run);
  if (all == 0) return abstained("the trace does not say how many multiprocessors there are");
  const Underfilled found = find_underfilled(run, all);
  if (!found.any_known) return abstained("the trace does not say how many blocks kernels have");
  const double time = run.per_step(found.price.total());
  const double ceiling = run.per_step(static_cast<std::int64_t>(found.empty_ns));
  if (static_cast<double>(found.price.total()) <
          kUnderfilledGpuLeastOfCompute * static_cast<double>(found.compute) ||
      ceiling < run.least_ns()) {
    return cleared(fmt::format("kernels with fewer blocks than multiprocessors take {} a step ({})",
                               format_duration(time), percent(run.share(time))));
  }
  Finding finding = found.price.finding(time);
  finding.ceiling_ns_per_step = ceiling;
  finding.count_per_step = run.count_per_step(found.kernels);
  finding.title = fmt::format(
      "{:.0f} kernels a step have fewer blocks than the device's {:.0f} multiprocessors: {} ({}), "
      "in which {} of these have nothing to do",
      finding.count_per_step, all, format_duration(time), percent(run.share(time)),
      percent(ceiling / time));
  Fix fill;
  fill.kind = FixKind::scale_work;
  fill.factor_low = 1 - ceiling / time;
  fill.factor = (1 + fill.factor_low) / 2;
  set_ops(fill, found.ops, kUnderfilledGpu);
  finding.fixes = {fill};
  advise(Advice::underfilled_gpu, run.language, finding);
  finding.falsified_by = "twice the batch takes twice as long: then the kernels do fill the device";
  finding.certainty = Certainty::inferred;
  return fired(std::move(finding));
}

}  // namespace stepscope::rules
