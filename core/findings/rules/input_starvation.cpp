// SPDX-License-Identifier: Apache-2.0
#include "core/findings/rules/input_starvation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/findings/advice.hpp"
#include "core/findings/host_cores.hpp"
#include "core/findings/preparation.hpp"
#include "core/findings/wait_lines.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

constexpr const char* kInputStarvation = "input_starvation";
constexpr double kLeastShareOfFew = 0.05, kLeastShareOfMany = 0.03;
constexpr std::size_t kManySteps = 20;
constexpr std::uint32_t kMostWorkers = 4;
constexpr double kNoneFree = 0.05;  // of the step: the loop's thread waits for a core
constexpr double kUnknownOnCore = 0.5;

struct InputTime {
  explicit InputTime(const JudgedRun& run) : price(run) {}
  Price price;
  std::int64_t waiting = 0;                                 // of it, for a loader or another thread
  std::vector<std::pair<std::size_t, std::int64_t>> parts;  // segment, ns

  void add(const Segment& s, std::size_t segment, std::int64_t ns) {
    price.add(s, ns);
    parts.emplace_back(segment, ns);
  }
};

bool waits_for_data(const JudgedRun& run, const Segment& s) {
  if (s.cause == Cause::host_data_wait) return true;
  if (s.cause != Cause::host_wait_thread) return false;
  return run.phase_name(s.phase) != "backward" && !run.optimizer_phases[s.phase];
}

// Without a device: what PyTorch marks as its loader's, though the loop's own thread does it.
bool makes_data(const JudgedRun& run, const Segment& s) {
  return !run.has_device && is_host(s.cause) && run.phase_name(s.phase) == "data";
}

InputTime input_time(const JudgedRun& run) {
  InputTime out(run);
  const std::uint32_t loader_workers = rules::loader_workers(run);
  for (std::size_t i = 0; i < run.segments().size(); ++i) {
    const Segment& s = run.segments()[i];
    if (!run.counts(s.time.begin)) continue;
    if (waits_for_data(run, s)) {
      // A loader without workers makes its data in the call that asks for them.
      const bool others_make = s.cause != Cause::host_data_wait || loader_workers > 0;
      out.waiting += others_make ? s.time.length() : 0;
      out.add(s, i, s.time.length());
    } else if (makes_data(run, s)) {
      out.add(s, i, s.time.length());
    }
  }
  std::vector<bool> chosen = tiny_uploads(run);
  chosen.flip();
  for (const Preparing& part : preparing(run, chosen)) {
    const Segment& s = run.segments()[part.segment];
    if (!waits_for_data(run, s)) out.add(s, part.segment, part.ns);
  }
  return out;
}

// Work that moves to another core shortens the step by as much as there are cores for it. On a run
// without a device the step's own operations want all cores, too: then input takes its share of
// them wherever it is made, and so it does where the loop's thread waits for a core already.
std::string fit_to_cores(const JudgedRun& run, Fix& prefetch) {
  const auto cores = core_count(run);
  if (!cores) return "";
  prefetch.workers = std::clamp(*cores - 1, 1U, kMostWorkers);
  std::int64_t waited = 0;
  for (const std::uint32_t row : run.summary.counted)
    waited += core_wait_ns(run, run.steps.list[row].window);
  const bool none_free = *cores == 1 || run.share(run.per_step(waited)) >= kNoneFree;
  if (run.has_device && !none_free) return "";
  const auto on_core = input_cpu_share(run, prefetch.scope.host_times);
  prefetch.factor = 1 - on_core.value_or(kUnknownOnCore) / *cores;
  prefetch.factor_low = none_free ? 1 - on_core.value_or(1) : prefetch.factor;
  prefetch.factor_high = 1;
  const std::string computing =
      on_core ? fmt::format("making input computes for {} of its time", percent(*on_core))
              : "how much of making input is computing was not sampled";
  return fmt::format("{}, and {}: workers take from the loop what they compute",
                     none_free ? fmt::format("no core is free of {}", *cores)
                               : fmt::format("the step itself computes on all {} cores", *cores),
                     computing);
}

Finding input_finding(const JudgedRun& run, const InputTime& time, double caused) {
  Finding out = time.price.finding(kInputStarvation, caused);
  const bool waits = 2 * time.waiting > time.price.total();
  out.count_per_step = 1;
  const std::string how_long =
      fmt::format("{} a step ({})", format_duration(caused), percent(run.share(caused)));
  const char* what = waits ? "waits for its input" : "makes its input itself";
  out.title = run.has_device ? fmt::format("the device idles {} while the loop {}", how_long, what)
                             : fmt::format("for {} the loop {}", how_long, what);
  // By time, not by line: where a library runs the loop, one line of the user holds all of it.
  Fix prefetch;
  prefetch.kind = FixKind::prefetch_input;
  std::vector<Interval> times;
  for (const auto& [segment, ns] : time.parts) times.push_back(run.segments()[segment].time);
  prefetch.scope.host_times = unite(std::move(times));
  prefetch.finding = kInputStarvation;
  const std::string cores = fit_to_cores(run, prefetch);
  if (!cores.empty()) out.title += "; " + cores;
  out.fixes = {prefetch};
  advise(waits ? Advice::input_waits : Advice::input_is_made, run.language, out);
  out.falsified_by = fmt::format(
      "feeding one batch again and again (made before the loop) does not make the step shorter by "
      "about {}",
      format_duration(caused));
  out.certainty = run.inflated ? Certainty::assumption
                  : waits      ? Certainty::trace_verified
                               : Certainty::inferred;
  return out;
}

}  // namespace

void judge_input_starvation(JudgedRun& run, Findings& out) {
  const InputTime time = input_time(run);
  const double caused = run.idle_per_step(time.price.total());
  const double least =
      run.summary.counted.size() >= kManySteps ? kLeastShareOfMany : kLeastShareOfFew;
  if (run.share(caused) < least || caused < run.least_ns()) {
    const char* who = run.has_device ? "the device" : "the loop";
    if (caused == 0)
      return clear(out, kInputStarvation, fmt::format("{} never waits for input", who));
    return clear(out, kInputStarvation,
                 fmt::format("{} waits {} a step ({}) for input", who, format_duration(caused),
                             percent(run.share(caused))));
  }
  for (const auto& [segment, ns] : time.parts) run.explain(segment, ns);
  add_finding(run, input_finding(run, time, caused), out);
}

}  // namespace stepscope::rules
