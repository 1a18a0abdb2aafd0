// SPDX-License-Identifier: Apache-2.0
// launch_bound: the device waits because the host takes longer to issue a kernel than the device to
// run it: many small kernels.
//
//   fires where   starved >= 10 % of the step (and >= least)
//   starved       idle time that host work before a launch owns (framework, Python, launch calls,
//                 launch latency), in stretches of less than 1 ms, less what another finding
//                 explains: input, waits, copies, the optimizer; and time in which only a copy
//                 from pinned memory runs, until the kernel behind it is launched
//   waits         from 4 a step on, no CUDA graph can hold the step, and the advice is to take them out
//   A trace whose profiler slowed the host by an unknown factor (at most 3, as measured) is judged
//   only where the true step, a third of the traced one or the device's work if that is longer,
//   would still be starved by 10 %.
//   Without a device: launch_overhead.cpp.
#include "core/findings/rules/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/findings/advice/advice.hpp"
#include "core/findings/wait_lines.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

constexpr double kLeastStarved = 0.10;
constexpr double kMostInflation = 3;
constexpr double kManyWaits = 4;        // a step: more than a loss that is read
constexpr double kLongWayNs = 200'000;  // from one kernel to the next: more than issuing takes

bool host_waits_in(const JudgedRun& run, Interval time) {
  const std::vector<HostWait>& waits = run.calls.waits;
  const auto behind =
      std::lower_bound(waits.begin(), waits.end(), time.end,
                       [](const HostWait& wait, std::int64_t at) { return wait.time.begin < at; });
  return behind != waits.begin() && (behind - 1)->time.end > time.begin;
}

// Returns the part of a copy without compute beside it that lies before the launch of the next
// kernel, which the copy did not hold back.
std::int64_t starved_beside_copy(const JudgedRun& run, const Segment& s) {
  if (s.cause != Cause::copy_h2d_pinned || !run.counts(s.time.begin)) return 0;
  const DeviceOps& d = run.trace.device_ops();
  const auto next = std::lower_bound(d.begin.begin(), d.begin.end(), s.time.end);
  if (next == d.begin.end() || host_waits_in(run, s.time)) return 0;
  const auto op = static_cast<DeviceOpId>(next - d.begin.begin());
  const CallId call = run.trace.launch_of(op);
  if (call == kNone || d.kind[op] != DeviceOpKind::kernel) return 0;
  const std::int64_t launched = run.trace.host_ranges().end[run.trace.calls().range[call]];
  const std::int64_t ns = std::min(s.time.end, launched) - s.time.begin;
  return ns < kLongStretchNs ? std::max<std::int64_t>(0, ns) : 0;
}

struct StarvedTime {
  explicit StarvedTime(const JudgedRun& run) : price(run) {}
  Price price;
  std::int64_t beside_copies = 0;  // the part of it beside copies
};

StarvedTime starved_time(const JudgedRun& run) {
  StarvedTime out(run);
  for (std::size_t i = 0; i < run.segments().size(); ++i) {
    const Segment& s = run.segments()[i];
    if (is_hidden_by_lead(s.cause) && s.time.length() < kLongStretchNs) {
      out.price.add(s, run.unexplained_ns(i));
    } else if (const std::int64_t ns = starved_beside_copy(run, s); ns > 0) {
      out.price.add(s, ns);
      out.beside_copies += ns;
    }
  }
  return out;
}

// Kernels, and CUDA graphs that are one op each.
struct DeviceWork {
  std::uint64_t kernels = 0, graphs = 0;
  std::int64_t median_ns = 0;

  std::uint64_t all() const { return kernels + graphs; }
  const char* name() const {
    if (graphs == 0) return "kernels";
    return kernels == 0 ? "CUDA graphs" : "kernels and CUDA graphs";
  }
};

DeviceWork count_work(const JudgedRun& run) {
  const DeviceOps& d = run.trace.device_ops();
  DeviceWork count;
  std::vector<std::int64_t> lengths;
  for (DeviceOpId op = 0; op < d.size(); ++op) {
    const bool is_graph = d.kind[op] == DeviceOpKind::graph;
    if ((!is_graph && d.kind[op] != DeviceOpKind::kernel) || !run.counts_op(op)) continue;
    ++(is_graph ? count.graphs : count.kernels);
    lengths.push_back(d.end[op] - d.begin[op]);
  }
  if (lengths.empty()) return count;
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  count.median_ns = *middle;
  return count;
}

// The least that the step can be starved, given how much a profiler may have slowed the host.
double least_starved_share(const JudgedRun& run, double starved_ns) {
  if (!run.inflated) return run.share(starved_ns);
  const double busy = run.per_step(run.summary.partition.device_busy_ns_total);
  const double step = std::max(busy, run.step_ns / kMostInflation);
  return (step - busy) / step * (starved_ns / std::max(1.0, run.step_ns - busy));
}

std::string starved_text(const JudgedRun& run, const DeviceWork& work, double starved) {
  const double count = run.count_per_step(work.all());
  std::string waits = fmt::format("the device waits {} a step ({}) for launches",
                                  format_duration(starved), percent(run.share(starved)));
  if (work.all() == 0) return waits;
  if (starved > kLongWayNs * count)
    return fmt::format("{}: the host takes {} from one of {:.0f} {} to the next", waits,
                       format_duration(starved / count), count, work.name());
  return fmt::format(
      "{}: {:.0f} {}, half of them shorter than {}, come faster than the host can issue them",
      waits, count, work.name(), format_duration(static_cast<double>(work.median_ns)));
}

// Returns how often the loop's host waits for the device in a step.
double waits_a_step(const JudgedRun& run) {
  const auto counted = [&run](const HostWait& wait) { return run.counts(wait.time.begin); };
  return run.count_per_step(
      static_cast<std::uint64_t>(std::ranges::count_if(run.calls.waits, counted)));
}

Finding launch_finding(const JudgedRun& run, const Price& price, double starved) {
  const DeviceWork work = count_work(run);
  Finding out = price.finding(starved);
  out.count_per_step = run.count_per_step(work.all());
  out.title = starved_text(run, work, starved);
  Fix capture;
  capture.kind = FixKind::capture_graph;
  out.fixes = {capture};
  const double waits = waits_a_step(run);
  if (waits >= kManyWaits)
    out.title += fmt::format("; and it waits for the device {:.0f} times a step", waits);
  advise(waits >= kManyWaits ? Advice::launch_bound_with_waits : Advice::launch_bound, run.language,
         out);
  out.falsified_by =
      fmt::format("a step captured in a CUDA graph (or compiled) is not shorter by up to {}",
                  format_duration(starved));
  out.certainty = run.inflated ? Certainty::assumption : Certainty::inferred;
  return out;
}

}  // namespace

Judgement judge_launch_bound(const JudgedRun& run) {
  if (!run.has_device) return judge_launch_overhead(run);
  const StarvedTime time = starved_time(run);
  const double starved = run.idle_per_step(time.price.total() - time.beside_copies) +
                         run.wall_per_step(time.beside_copies);
  const double least = least_starved_share(run, starved);
  const bool traced_is_starved = run.weight(starved) >= kLeastStarved;
  if (run.inflated && traced_is_starved && least < kLeastStarved) {
    return abstained(
        fmt::format("the device waits {} of this step for launches, but its profiler "
                    "slowed them by an unknown factor; record it with 'stepscope "
                    "profile', or give --plain-step",
                    percent(run.share(starved))));
  }
  if (!traced_is_starved || starved < run.least_ns()) {
    return cleared(
        fmt::format("the device waits {} a step ({}) for launches that nothing else "
                    "explains",
                    format_duration(starved), percent(run.share(starved))));
  }
  return fired(launch_finding(run, time.price, starved));
}

}  // namespace stepscope::rules
