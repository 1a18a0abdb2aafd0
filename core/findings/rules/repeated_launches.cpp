// SPDX-License-Identifier: Apache-2.0
// repeated_launches: a Python loop launches the same small kernels again and again, as over the
// parameters of a model (a moving average of weights, norms, clipping by hand), and the device waits
// for them.
//
//   a loop        device work that the loop's thread issues in the iterations of a loop that was noted, or
//                 at the same lines in the same order, 8 times in a row or more and 32 launches at
//                 least, in the middle counted step: no matrix
//                 product and no attention (those are layers), not half of it copies to the host
//                 (host_sync), outside of the optimizer (unfused_optimizer). The one that saves most launches
//                 first, at most three of them; half of its kernels are shorter than 20 us. Where an outer
//                 loop runs it anew, all of that is one loop; the gradients of its lines belong to it
//   fires where   ceiling >= 3 % of the step, and >= least
//   starved       idle time of the device at the loop's lines that the host's lead would hide, and
//                 that between its queued kernels
//   ceiling       starved, and half of the time that the device works for the loop
//   forecast      one operation over all of them: the host issues the first alone, and the device
//                 takes half as long (one round of it to all of it; an assumption)
#include "core/findings/rules/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "core/attribution/process_index.hpp"
#include "core/findings/advice/advice.hpp"
#include "core/findings/passes.hpp"
#include "core/findings/price.hpp"
#include "core/findings/wait_lines.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

constexpr const char* kRepeatedLaunches = "repeated_launches";
constexpr std::size_t kLeastRounds = 8, kLeastLaunches = 32, kMostLoops = 3;
constexpr double kRepeatedLeastShare = 0.03;
constexpr std::int64_t kSmallInLoopNs = 20'000;
constexpr double kOneForAll = 0.5;

struct Launch {
  std::int64_t begin = 0;  // when its call begins
  DeviceOpId op = kNone;
  StringId name = 0;
  SiteId site = kNone;
  bool ends_loop = false;

  bool same_as(const Launch& other) const {
    return !ends_loop && !other.ends_loop && name == other.name && site == other.site;
  }
};

bool is_of_layer(Cause cause) {
  return cause == Cause::gpu_gemm || cause == Cause::gpu_attention;
}

// Returns what the loop's thread issued within the time, in its order.
std::vector<Launch> launches_in(const JudgedRun& run, Interval time) {
  const DeviceOps& d = run.trace.device_ops();
  const HostRanges& h = run.trace.host_ranges();
  std::vector<Launch> out;
  for (DeviceOpId op = 0; op < d.size(); ++op) {
    const CallId call = run.trace.launch_of(op);
    if (call == kNone) continue;
    const RangeId range = run.trace.calls().range[call];
    const bool is_inside = h.begin[range] >= time.begin && h.begin[range] < time.end;
    const auto& placed = run.attribution.ops[op];
    if (!is_inside || h.thread[range] != run.steps.thread || run.optimizer_phases[placed.phase])
      continue;
    const bool ends_loop = is_of_layer(placed.cause);
    out.push_back({h.begin[range], op, d.name[op], run.sites[range], ends_loop});
  }
  std::ranges::stable_sort(out, {}, &Launch::begin);
  return out;
}

struct LaunchLoop {
  SiteId loop = kNone;  // its first line, where it was noted
  std::size_t times = 0, kernels = 0;
  std::set<SiteId> sites;
};

std::span<const Launch> launches_of(std::span<const Launch> all, const PassStretch& stretch) {
  return all.subspan(stretch.begins.front(), stretch.items());
}

// A loop that copies to the host and does little else is a matter of host_sync.
bool reads_alone(const JudgedRun& run, std::span<const Launch> loop) {
  const auto reads = std::ranges::count_if(loop, [&run](const Launch& one) {
    return run.attribution.ops[one.op].cause == Cause::copy_d2h;
  });
  return 2 * static_cast<std::size_t>(reads) >= loop.size();
}

bool is_of_small_kernels(const JudgedRun& run, std::span<const Launch> loop) {
  const DeviceOps& d = run.trace.device_ops();
  std::vector<std::int64_t> lengths;
  for (const Launch& one : loop) lengths.push_back(d.end[one.op] - d.begin[one.op]);
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::ranges::nth_element(lengths, middle);
  return *middle < kSmallInLoopNs;
}

// Returns how many launches one pass in place of each stretch saves.
std::size_t saved_by(const Passes& passes) {
  std::size_t out = 0;
  for (const PassStretch& one : passes.stretches) out += one.items() - one.items() / one.times();
  return out;
}

// Returns the loop that saves most; one without stretches where there is none.
Passes largest_loop(std::span<const Launch> launches, std::vector<Passes> noted) {
  Passes best = repeats_in(launches, kLeastRounds);
  for (Passes& loop : noted) {
    std::erase_if(loop.stretches, [&](const PassStretch& one) {
      return std::ranges::any_of(launches_of(launches, one), &Launch::ends_loop);
    });
    if (saved_by(loop) > saved_by(best)) best = std::move(loop);
  }
  return best;
}

struct Candidate {
  LaunchLoop loop;
  std::size_t launches = 0;
  bool is_one = true;
};

Candidate candidate_of(const JudgedRun& run, std::span<const Launch> launches,
                       const Passes& passes) {
  Candidate out{.loop = {.loop = passes.loop}};
  for (const PassStretch& stretch : passes.stretches) {
    const std::span<const Launch> all = launches_of(launches, stretch);
    for (const Launch& launch : all) out.loop.sites.insert(launch.site);
    out.is_one = out.is_one && !reads_alone(run, all) && is_of_small_kernels(run, all);
    out.launches += all.size();
    out.loop.times += stretch.times();
  }
  const std::size_t times = std::max<std::size_t>(1, out.loop.times);
  out.loop.kernels = (out.launches + times / 2) / times;
  out.is_one = out.is_one && !out.loop.sites.contains(kNone);
  return out;
}

std::vector<LaunchLoop> loops_of(const JudgedRun& run) {
  std::vector<LaunchLoop> out;
  if (run.summary.counted.empty()) return out;
  const std::uint32_t row = run.summary.counted[run.summary.counted.size() / 2];
  const Interval step = run.steps.list[row].host;
  std::vector<Launch> launches = launches_in(run, step);
  std::vector<std::int64_t> begins;
  for (const Launch& one : launches) begins.push_back(one.begin);
  const std::vector<Passes> noted = loops_in(run, step, begins, kLeastRounds);
  while (out.size() < kMostLoops) {
    const Passes found = largest_loop(launches, noted);
    Candidate candidate = candidate_of(run, launches, found);
    if (candidate.launches < kLeastLaunches) break;
    if (candidate.is_one) out.push_back(std::move(candidate.loop));
    for (const PassStretch& stretch : found.stretches)
      for (std::size_t i = stretch.begins.front(); i < stretch.end; ++i)
        launches[i].ends_loop = true;  // it is found once
  }
  return out;
}

// The operations at these lines in all counted steps, and those that make the gradients of these lines.
std::vector<DeviceOpId> ops_at(const JudgedRun& run, const std::set<SiteId>& sites) {
  std::vector<DeviceOpId> out;
  for (DeviceOpId op = 0; op < run.trace.device_ops().size(); ++op) {
    if (!run.counts_op(op) || is_of_layer(run.attribution.ops[op].cause)) continue;
    if (sites.contains(run.attribution.index->places.of(op).line.site)) out.push_back(op);
  }
  return out;
}

struct LoopTime {
  explicit LoopTime(const JudgedRun& run) : price(run) {}
  Price price;
  std::int64_t starved = 0, device = 0;
  Explained parts;
};

LoopTime time_of(const JudgedRun& run, const LaunchLoop& loop) {
  LoopTime out(run);
  for (std::size_t i = 0; i < run.segments().size(); ++i) {
    const Segment& s = run.segments()[i];
    const std::int64_t ns = run.unexplained_ns(i);
    if (ns == 0 || !loop.sites.contains(s.site)) continue;
    const bool works = is_device_compute(s.cause) && !is_of_layer(s.cause);
    const bool waits = s.cause == Cause::gpu_dispatch_gap ||
                       (is_hidden_by_lead(s.cause) && s.time.length() < kLongStretchNs);
    if (!works && !waits) continue;
    (works ? out.device : out.starved) += ns;
    out.price.add(s, ns);
    out.parts.emplace_back(i, ns);
  }
  return out;
}

std::string what_runs(const JudgedRun& run, const LaunchLoop& loop, std::string_view noun) {
  const char* plural = loop.kernels == 1 ? "" : "s";
  if (loop.loop != kNone)
    return fmt::format("the loop at {} runs {} {}{}", run.line_text(loop.loop), loop.kernels, noun,
                       plural);
  return fmt::format("the same {} {}{} run{}", loop.kernels, noun, plural,
                     loop.kernels == 1 ? "s" : "");
}

Finding loop_finding(const JudgedRun& run, const LaunchLoop& loop, const LoopTime& time) {
  const double starved = run.idle_per_step(time.starved), device = run.per_step(time.device);
  Finding out = time.price.finding(starved + device);
  out.ceiling_ns_per_step = starved + (1 - kOneForAll) * device;
  out.count_per_step = static_cast<double>(loop.times);
  out.title = fmt::format(
      "{} times a step {}, one after another: the device works {} and waits {} for their launches "
      "({})",
      loop.times, what_runs(run, loop, "small kernel"), format_duration(device),
      format_duration(starved), percent(run.share(starved + device)));
  Fix fuse{.kind = FixKind::fuse_work,
           .factor = kOneForAll,
           .factor_low = 1 / static_cast<double>(loop.times),
           .factor_high = 1};
  set_ops(fuse, ops_at(run, loop.sites), kRepeatedLaunches);
  out.fixes = {fuse};
  advise(Advice::repeated_launches, run.language, out);
  out.falsified_by =
      fmt::format("without that line (for a test) the step does not become shorter by about {}",
                  format_duration(starved + device));
  out.certainty = Certainty::inferred;
  return out;
}

}  // namespace

Judgement judge_repeated_launches(const JudgedRun& run) {
  if (run.inflated)
    return abstained(
        "its profiler slowed launches by an unknown factor; record it with 'stepscope "
        "profile'");
  Judgement out;
  for (const LaunchLoop& loop : loops_of(run)) {
    const LoopTime time = time_of(run, loop);
    const double ceiling =
        run.idle_per_step(time.starved) + (1 - kOneForAll) * run.per_step(time.device);
    if (run.weight(ceiling) < kRepeatedLeastShare || ceiling < run.least_ns()) {
      out.cleared.push_back(fmt::format(
          "{} times a step {}, of which one operation would save {} ({})", loop.times,
          what_runs(run, loop, "kernel"), format_duration(ceiling), percent(run.share(ceiling))));
      continue;
    }
    out.found.push_back(loop_finding(run, loop, time));
    out.explained.insert(out.explained.end(), time.parts.begin(), time.parts.end());
  }
  if (out.found.empty() && out.cleared.empty())
    return cleared("no loop of the program launches the same kernels again and again");
  if (!out.found.empty()) out.cleared.clear();
  return out;
}

}  // namespace stepscope::rules
