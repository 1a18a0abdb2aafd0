// SPDX-License-Identifier: Apache-2.0
// host_gap: the host does something else for a millisecond or more, without a CUDA call, while the
// device idles: Python work, files, logging, garbage collection, or the thread was not running.
//
//   fires where   gaps >= least; without a device and where the thread is awake, >= 3 % of the step as well:
//                 PyTorch frees the graph of the step before within a line of the program
//   gaps          host stretches of >= 1 ms in the partition (Python, between calls, operations on
//                 the CPU, files, garbage collection, off the CPU), less what input and waits
//                 explain; without a device not operations, which are what the step is for, and
//                 shorter ones, too, at lines that run none (OwnStretches)
//                 Without a device, time awake at a line that runs a backward pass is the engine's: it
//                 counts the graph's nodes before the first, and frees them behind the last
//   not judged    where samples are all that is known of a program: a line that they meet may compute
//                 in a library, sleep or wait, so only garbage collection and files are gaps
//   off the CPU   asleep, or ready to run without a core: by the sampler's counter (host_time.hpp)
#include "core/findings/rules/rules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/findings/advice/advice.hpp"
#include "core/findings/host_time.hpp"
#include "core/findings/wait_lines.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

constexpr const char* kHostGap = "host_gap";
constexpr double kLeastAwake = 0.03;    // share of a step without a device
constexpr double kOthersCompute = 0.5;  // cores

// Whether the loop's thread has no record but the one of its program (importers/sampled_programs).
bool is_known_by_samples(const JudgedRun& run) {
  const Rows rows = run.trace.ranges_of(run.steps.thread);
  return !run.has_device && rows.size() == 1 &&
         run.trace.host_ranges().kind[rows.begin] == HostKind::python_function;
}

// Whether a cause is a gap of the host. Without a device, operations are what the step is for.
// Waiting for a core is core_contention's.
bool is_gap_cause(const JudgedRun& run, Cause cause) {
  if (is_known_by_samples(run)) return cause == Cause::host_io || cause == Cause::host_gc;
  return cause == Cause::host_python || cause == Cause::host_between_calls ||
         (is_host_compute(cause) && run.has_device) || cause == Cause::host_io ||
         cause == Cause::host_gc || cause == Cause::host_off_cpu ||
         cause == Cause::host_wait_thread;
}

struct Gaps {
  explicit Gaps(const JudgedRun& run) : price(run) {}
  Price price;
  PerCause<std::int64_t> by_cause{};
  std::uint64_t count = 0;
  std::vector<std::size_t> segments;
  std::map<AsleepIn, std::int64_t> asleep;  // host.off_cpu, by what the thread slept in
};

// The lines that run a backward pass, by site: the engine works there, from one node to the next.
std::vector<bool> engine_lines(const JudgedRun& run) {
  std::vector<bool> out(run.trace.data().sites.size(), false);
  for (const Segment& s : run.segments())
    if (s.site != kNone && s.cause == Cause::host_framework && s.direction == Direction::none &&
        run.phase_name(s.phase) == "backward")
      out[s.site] = true;
  return out;
}

Gaps find_gaps(const JudgedRun& run) {
  Gaps out(run);
  const OwnStretches own(run);
  const std::vector<bool> engine = engine_lines(run);
  for (std::size_t i = 0; i < run.segments().size(); ++i) {
    const Segment& s = run.segments()[i];
    if (!is_gap_cause(run, s.cause) || !own.holds(s)) continue;
    if (!run.has_device && run.optimizer_phases[s.phase]) continue;  // PyTorch's own Python
    if (!run.has_device && is_between_operations(s.cause) && s.site != kNone && engine[s.site])
      continue;
    const std::int64_t ns = run.unexplained_ns(i);
    if (ns <= 0) continue;
    out.price.add(s, ns);
    out.by_cause[index_of(s.cause)] += ns;
    if (s.cause == Cause::host_off_cpu) out.asleep[s.asleep_in] += ns;
    out.segments.push_back(i);
    ++out.count;
  }
  return out;
}

Cause largest_cause(const Gaps& gaps) {
  std::size_t largest = 0;
  for (std::size_t i = 0; i < kCauseCount; ++i)
    if (gaps.by_cause[i] > gaps.by_cause[largest]) largest = i;
  return static_cast<Cause>(largest);
}

// Empty for unknown, and for what has a cause of its own.
std::string_view text_of(AsleepIn reason) {
  switch (reason) {
    case AsleepIn::timer:
      return "in a sleep of the code's own";
    case AsleepIn::child:
      return "until another program ended";
    case AsleepIn::channel:
      return "until a pipe or a socket was ready";
    case AsleepIn::lock:
      return "in a lock, until another thread woke it";
    default:
      return "";
  }
}

// Returns the words for time off the CPU. Where the wait for a core is known it has a cause of its
// own, and the rest is sleep.
std::string off_cpu_text(const JudgedRun& run, const Gaps& gaps) {
  std::int64_t all = 0;
  std::vector<std::string> reasons;
  for (const auto& [reason, ns] : gaps.asleep) {
    all += ns;
    if (const std::string_view text = text_of(reason); !text.empty())
      reasons.push_back(fmt::format("{} {}", format_duration(run.per_step(ns)), text));
  }
  if (all == 0) return "";
  const std::string length = format_duration(run.per_step(all));
  if (reasons.empty() && !core_wait_is_known(run))
    return fmt::format("; off the CPU for {}, asleep or without a core: this trace does not tell",
                       length);
  const std::string why = reasons.empty() ? "" : fmt::format(" ({})", fmt::join(reasons, ", "));
  return fmt::format("; asleep for {}{}", length, why);
}

AsleepIn largest_reason(const Gaps& gaps) {
  const auto largest =
      std::max_element(gaps.asleep.begin(), gaps.asleep.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return largest == gaps.asleep.end() ? AsleepIn::unknown : largest->first;
}

Advice advice_for_sleep(AsleepIn reason) {
  switch (reason) {
    case AsleepIn::timer:
      return Advice::gap_sleeps_on_purpose;
    case AsleepIn::child:
      return Advice::gap_waits_for_program;
    case AsleepIn::channel:
      return Advice::gap_waits_for_message;
    case AsleepIn::lock:
      return Advice::gap_waits_for_thread;
    default:
      return Advice::gap_sleeps;
  }
}

// Whether the loop waits for a lock while other threads of its process compute for about as long: as
// threads do that compute in Python, of which one at a time holds the interpreter's lock.
bool others_compute(const JudgedRun& run, Cause cause, const Gaps& gaps) {
  return run.language == Language::python && cause == Cause::host_off_cpu &&
         largest_reason(gaps) == AsleepIn::lock &&
         cores_beside_loop(run).value_or(0) >= kOthersCompute;
}

Advice advice_for_gap(Cause cause, const Gaps& gaps, bool has_device) {
  switch (cause) {
    case Cause::host_gc:
      return Advice::gap_collects;
    case Cause::host_io:
      return Advice::gap_reads_or_writes;
    case Cause::host_off_cpu:
      return advice_for_sleep(largest_reason(gaps));
    case Cause::host_wait_thread:
      return Advice::gap_waits_for_thread;
    default:
      return has_device ? Advice::gap_computes : Advice::gap_computes_without_device;
  }
}

// Returns the times that a repair takes away: the gaps, and the waits for a core beside them at their
// lines. Those waits are the machine's doing, but a line that is gone does not wait.
IntervalSet times_with_waits(const JudgedRun& run, const Gaps& gaps) {
  const auto& segments = run.segments();
  std::vector<Interval> times;
  std::vector<bool> is_gap(segments.size(), false);
  for (const std::size_t i : gaps.segments) {
    times.push_back(segments[i].time);
    is_gap[i] = true;
  }
  const auto is_beside = [&](std::size_t i, std::size_t other) {
    return other < segments.size() && is_gap[other] && segments[other].site == segments[i].site;
  };
  for (std::size_t i = 0; i < segments.size(); ++i)
    if (segments[i].cause == Cause::host_core_wait && (is_beside(i, i + 1) || is_beside(i, i - 1)))
      times.push_back(segments[i].time);
  return unite(std::move(times));
}

}  // namespace

Judgement judge_host_gap(const JudgedRun& run) {
  const Gaps gaps = find_gaps(run);
  const double idle = run.idle_per_step(gaps.price.total());
  const bool is_awake = is_between_operations(largest_cause(gaps));
  const bool is_little = !run.has_device && is_awake && run.weight(idle) < kLeastAwake;
  if (idle < run.least_ns() || is_little) {
    if (is_known_by_samples(run))
      return abstained(
          "all that is known of this program are samples, which do not tell whether a line "
          "computes "
          "in a library, sleeps or waits");
    if (gaps.count == 0)
      return cleared(run.has_device
                         ? "the host is nowhere away for a millisecond while the device idles"
                         : fmt::format("the loop does nothing but operations for {} or at any line",
                                       long_stretch_text(run)));
    return cleared(fmt::format("stretches of {} and more{} cost {} a step ({})",
                               long_stretch_text(run),
                               run.has_device ? "" : ", and lines that run no operation,",
                               format_duration(idle), percent(run.share(idle))));
  }
  const Cause cause = largest_cause(gaps);
  Finding finding = gaps.price.finding(idle);
  finding.count_per_step = run.count_per_step(gaps.count);
  const std::string what =
      run.has_device ? fmt::format(
                           "the device idles {} a step ({}) while the host does something "
                           "else for {} or more",
                           format_duration(idle), percent(run.share(idle)), long_stretch_text(run))
                     : fmt::format(
                           "for {} a step ({}) the loop does something else than PyTorch's "
                           "operations: at lines without any, or for {} or more at a stretch",
                           format_duration(idle), percent(run.share(idle)), long_stretch_text(run));
  finding.title = fmt::format("{} ({}){}", what, name_of(cause), off_cpu_text(run, gaps));
  Fix elsewhere;
  elsewhere.kind = FixKind::drop_work;
  elsewhere.scope.host_times = times_with_waits(run, gaps);
  elsewhere.finding = kHostGap;
  finding.fixes = {elsewhere};
  const bool in_turns = others_compute(run, cause, gaps);
  if (in_turns)
    finding.title += fmt::format("; other threads of this process keep {:.1f} cores busy",
                                 *cores_beside_loop(run));
  advise(in_turns ? Advice::gap_waits_for_turn : advice_for_gap(cause, gaps, run.has_device),
         run.language, finding);
  finding.falsified_by =
      "with that work left out the step does not become shorter by about " + format_duration(idle);
  finding.certainty = run.inflated ? Certainty::assumption : Certainty::trace_verified;
  return fired(std::move(finding), whole_segments(run, gaps.segments));
}

}  // namespace stepscope::rules
