// SPDX-License-Identifier: Apache-2.0
// The verdict: who limits the step, the device or the host?
//
//   wait   share of the step in which the device is idle and no work was issued: the most that a
//          perfect host could save
//   device   wait < 10 %           nothing on the host is worth much
//   host     wait >= 50 %          the device waits longer than it works
//   mixed    between: both sides are worth a look
// A trace whose host times were stretched by its profiler gives no verdict: its wait is too long by
// an unknown amount. Only where even the traced step leaves the device idle for less than 10 % is
// it device-bound for sure, since the plain step lies between device busy and the traced step. With
// the plain step time (floor = device busy <= plain <= traced) the wait is that of the plain step,
// the device's own part being the same in both.
// Idle time whose cause is unknown may be the host's or the device's: where the verdict hangs on it
// there is none. The same holds for idle time that device work may fill of which the trace has the
// launches alone. Where kernels of one stream, which runs one after the other, take half as much time
// again as they cover, their times are wrong and there is none.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/summary/parts.hpp"
#include "core/support/duration.hpp"

namespace stepscope::summary_parts {
namespace {

constexpr double kDeviceBoundBelow = 0.10;
constexpr double kHostBoundFrom = 0.50;
constexpr double kMostAtOnce = 1.5;  // kernels of a stream, in the mean of the time of one

Bound bound_of(double wait) {
  if (wait < kDeviceBoundBelow) return Bound::device;
  return wait < kHostBoundFrom ? Bound::mixed : Bound::host;
}

std::string sentence(Bound bound, double work, double queued, double wait) {
  std::string works = fmt::format("the device works {:.0f} % of the time", 100 * work);
  if (queued > 0) works += fmt::format(" ({:.0f} % of that with the next op queued)", 100 * queued);
  switch (bound) {
    case Bound::device:
      return fmt::format("{}; a perfect host would save at most {:.1f} %", works, 100 * wait);
    case Bound::host:
      return fmt::format("the device waits {:.0f} % of the time for the host to issue work",
                         100 * wait);
    default:
      return fmt::format("{} and waits {:.0f} % for the host to issue work", works, 100 * wait);
  }
}

std::string without_device(const PartitionSummary& s) {
  std::int64_t compute = 0;
  for (const PartSum& part : s.parts) compute += is_host_compute(part.cause) ? part.ns_total : 0;
  if (compute == 0)
    return "no device work in these steps; CPU ops compute 0 % of the time, or were not recorded";
  return fmt::format("no device work in these steps; CPU ops compute {:.0f} % of the time",
                     100.0 * static_cast<double>(compute) / static_cast<double>(s.wall_ns_total));
}

struct PerStep {
  double wall = 0, busy = 0, wait = 0, unknown = 0;
};

PerStep per_step(const PartitionSummary& s, double lost = 0) {
  const auto steps = static_cast<double>(s.steps_counted);
  std::int64_t unknown = 0;
  for (const PartSum& part : s.parts) unknown += part.cause == Cause::unknown ? part.ns_total : 0;
  const double busy = static_cast<double>(s.device_busy_ns_total) / steps;
  return {s.wall_ns_per_step(), busy, static_cast<double>(s.host_wait_ns_total) / steps,
          static_cast<double>(unknown) / steps + lost * busy};
}

// `wait_ns` is an upper bound: no step saves more than it waits.
void judge(PartitionSummary& s, const PerStep& step, double wall_ns, double wait_ns) {
  const double wait = wait_ns / wall_ns;
  const double known = std::max(0.0, wait_ns - step.unknown) / wall_ns;
  s.bound = bound_of(wait);
  s.why_bound = sentence(s.bound, step.busy / wall_ns, s.queued_share, wait);
  if (bound_of(known) == s.bound) return;
  s.bound = Bound::not_judged;
  s.why_bound = fmt::format(
      "the device works {:.0f} % of the time and waits {:.0f} to {:.0f} % for the host: what it "
      "waits for in the rest is not known",
      100 * step.busy / wall_ns, 100 * known, 100 * wait);
}

void judge_by_plain(PartitionSummary& s, const PerStep& step, std::int64_t plain_ns) {
  const auto plain = static_cast<double>(plain_ns);
  s.plain_step_ns = plain_ns;
  if (plain < step.busy || plain > step.wall) {
    s.why_bound = fmt::format(
        "the plain step time given, {}, is outside what this trace allows "
        "({} device work to {} traced); was it measured on the same work?",
        format_duration(plain), format_duration(step.busy), format_duration(step.wall));
    return;
  }
  s.corrected_step_ns = plain_ns;
  judge(s, step, plain, std::min(step.wait, plain - step.busy));
  s.why_bound += fmt::format(" (of the plain {}; traced {})", format_duration(plain),
                             format_duration(step.wall));
}

}  // namespace

void judge_bound(PartitionSummary& s, bool inflated, std::optional<std::int64_t> plain_step_ns,
                 double lost) {
  s.inflated = inflated;
  if (s.steps_counted == 0 || s.wall_ns_total == 0) {
    s.why_bound = "no step was counted";
    return;
  }
  const PerStep step = per_step(s, lost);
  if (s.device_busy_ns_total == 0) {
    s.plain_step_ns = plain_step_ns;
    s.why_bound = without_device(s);
  } else if (plain_step_ns) {
    judge_by_plain(s, step, *plain_step_ns);
  } else if (inflated && step.wall - step.busy < kDeviceBoundBelow * step.wall) {
    judge(s, step, step.wall, step.wait);
    s.why_bound += ", even with its profiler slowing the host";
  } else if (inflated) {
    s.why_bound = fmt::format(
        "its profiler slowed the host: the true step lies between {} (device work) and {}, so the "
        "device works at least {:.0f} % of it; give --plain-step to judge",
        format_duration(step.busy), format_duration(step.wall), 100 * step.busy / step.wall);
  } else {
    judge(s, step, step.wall, step.wait);
  }
}

bool device_times_can_be(const Trace& trace) {
  const DeviceOps& d = trace.device_ops();
  for (StreamId stream = 0; stream < trace.data().streams.size(); ++stream) {
    std::int64_t sum = 0, covered = 0, end = std::numeric_limits<std::int64_t>::min();
    for (const DeviceOpId op : trace.ops_of(stream)) {
      const CallId call = trace.launch_of(op);
      const bool is_of_graph =
          d.graph[op] != 0 || (call != kNone && trace.calls().api[call] == ApiKind::launch_graph);
      if (d.kind[op] != DeviceOpKind::kernel || is_of_graph) continue;
      sum += d.end[op] - d.begin[op];
      covered += std::max<std::int64_t>(0, d.end[op] - std::max(d.begin[op], end));
      end = std::max(end, d.end[op]);
    }
    if (static_cast<double>(sum) > kMostAtOnce * static_cast<double>(covered)) return false;
  }
  return true;
}

void leave_open(PartitionSummary& s) {
  if (s.steps_counted == 0 || s.device_busy_ns_total == 0) return;
  s.bound = Bound::not_judged;
  s.why_bound =
      "kernels of one stream run beside each other in this trace, which cannot be: their times are "
      "wrong, so nothing here says who limits the step";
}

void correct_step(PartitionSummary& s, const Overhead& overhead,
                  const std::optional<Overhead>& left) {
  if (s.steps_counted == 0 || s.plain_step_ns || overhead.ratio <= 0) return;
  const PerStep step = per_step(s);
  const double both = overhead.ratio * (left && left->low > 1 ? left->ratio : 1);
  const double plain = std::clamp(step.wall / both, std::min(step.busy, step.wall), step.wall);
  s.plain_step_ns = s.corrected_step_ns = std::llround(plain);
}

}  // namespace stepscope::summary_parts
