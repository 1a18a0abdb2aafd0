// SPDX-License-Identifier: Apache-2.0
// periodic_phase: a phase that does not run in every step (evaluation, checkpoint, log) costs much
// even so.
//
//   fires where   the phase runs once in two steps or more, amortised >= 3 % of the step, and
//                 ceiling >= least, by the noise of the steps without the phase
//   amortised     wall time that the phase (with those inside it) owns, over all counted steps,
//                 without waits for a core, without code that was compiled or loaded in it, which
//                 passes once, and without what starting a loader's workers takes (input_starvation)
//   not judged    where no phase has a period, and steps are long by more than 5 % of the loop's time
//                 beside what they waited for a core
//   ceiling       half of it: running it half as often is what a user can decide
#include "core/findings/rules/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/findings/advice/advice.hpp"
#include "core/findings/host_time.hpp"
#include "core/findings/wait_lines.hpp"
#include "core/findings/worker_starts.hpp"
#include "core/steps/finders/marks.hpp"
#include "core/support/duration.hpp"
#include "core/support/statistics.hpp"

namespace stepscope::rules {
namespace {

constexpr double kPeriodicPhaseLeastShare = 0.03;
constexpr double kNearlyAll = 0.99;  // share of a phase's time
constexpr double kSamePeriod = 0.03;
constexpr double kLeastPeriod = 2;
constexpr double kLongStepsLeastShare = 0.05;

// "eval/loss": as the summary names phases.
std::string path_of(const std::vector<Phase>& phases, PhaseId phase) {
  if (phase == 0) return "";
  const std::string above = path_of(phases, phases[phase].parent);
  return above.empty() ? phases[phase].name : above + "/" + phases[phase].name;
}

// The phase itself and those inside it.
std::vector<bool> phases_below(const JudgedRun& run, const std::string& path) {
  std::vector<bool> out;
  for (PhaseId phase = 0; phase < run.attribution.phases.size(); ++phase) {
    const std::string own = path_of(run.attribution.phases, phase);
    out.push_back(own == path || own.starts_with(path + "/"));
  }
  return out;
}

// Returns the phase's time in a step.
std::int64_t ns_in(const JudgedRun& run, const std::vector<bool>& inside, const Interval& window) {
  std::int64_t ns = 0;
  const auto& segments = run.segments();
  auto s = std::lower_bound(segments.begin(), segments.end(), window.begin,
                            [](const Segment& one, std::int64_t at) { return one.time.end <= at; });
  for (; s != segments.end() && s->time.begin < window.end; ++s)
    if (inside[s->phase]) ns += intersect(s->time, window).length();
  return ns;
}

// Returns what the mean step is uncertain by without the phase: that it runs in some steps and not
// in others is its cost, and no noise.
double noise_without(const JudgedRun& run, const std::vector<bool>& inside) {
  std::vector<std::int64_t> rest;
  for (const std::uint32_t row : run.summary.counted) {
    const Interval window = run.steps.list[row].window;
    rest.push_back(window.length() - ns_in(run, inside, window));
  }
  return uncertainty_of_mean(rest);
}

// When the loop's thread stepped an optimizer.
std::vector<std::int64_t> optimizer_steps(const JudgedRun& run) {
  const HostRanges& h = run.trace.host_ranges();
  const Rows rows = run.trace.ranges_of(run.steps.thread);
  std::vector<std::int64_t> out;
  for (RangeId r = rows.begin; r < rows.end; ++r)
    if (h.kind[r] == HostKind::user_scope && is_optimizer_step(run.trace.text(h.name[r])))
      out.push_back(h.begin[r]);
  return out;
}

// Whether the steps in which the phase runs step an optimizer more often than the others do, in the
// median: an actor that is updated with every second batch of its critic.
bool belongs_to_training(const JudgedRun& run, const std::vector<bool>& inside) {
  const std::vector<std::int64_t> times = optimizer_steps(run);
  std::vector<std::int64_t> with, without;
  for (const std::uint32_t row : run.summary.counted) {
    const Interval window = run.steps.list[row].window;
    const auto begin = std::lower_bound(times.begin(), times.end(), window.begin);
    const auto end = std::lower_bound(begin, times.end(), window.end);
    (ns_in(run, inside, window) > 0 ? with : without).push_back(end - begin);
  }
  return !with.empty() && !without.empty() && median(std::move(with)) > median(std::move(without));
}

// Whether backward passes go through a line of the phase in steps in which it runs, and in no others:
// a loss that is one of several in turns.
bool is_differentiated(const JudgedRun& run, const std::vector<bool>& inside) {
  std::set<SiteId> lines, with, without;
  for (const Segment& s : run.segments())
    if (inside[s.phase]) lines.insert(s.site);
  auto s = run.segments().begin();
  for (const std::uint32_t row : run.summary.counted) {
    const Interval window = run.steps.list[row].window;
    std::set<SiteId>& lines_of_step = ns_in(run, inside, window) > 0 ? with : without;
    while (s != run.segments().end() && s->time.end <= window.begin) ++s;
    for (; s != run.segments().end() && s->time.begin < window.end; ++s)
      if (s->direction == Direction::backward) lines_of_step.insert(s->site);
  }
  return std::ranges::any_of(lines, [&](SiteId line) {
    return line != kNone && with.contains(line) && !without.contains(line);
  });
}

struct PeriodicTime {
  explicit PeriodicTime(const JudgedRun& run) : price(run) {}
  Price price;            // price of what comes again each time that the phase runs
  std::int64_t once = 0;  // beside it: code that was compiled or loaded
  std::int64_t sampled =
      0;  // the part of the price that samples alone show: they may miss some runs

  const char* at_least() const { return 2 * sampled > price.total() ? "at least " : ""; }
};

PeriodicTime periodic_time(const JudgedRun& run, const Compiling& compiling,
                           const WorkerStarts& starts, const std::vector<bool>& inside) {
  PeriodicTime out(run);
  for (const Segment& s : run.segments()) {
    if (!inside[s.phase] || !run.counts(s.time.begin) || s.cause == Cause::host_core_wait) continue;
    if (starts.holds_epoch_begin(s)) continue;
    const std::int64_t once = compiling.ns_in(s);
    out.once += once;
    out.price.add(s, s.time.length() - once);
    if (s.is_sampled) out.sampled += s.time.length() - once;
  }
  return out;
}

std::string periodic_title(const JudgedRun& run, const PhaseRow& row, const PeriodicTime& time,
                           double amortised) {
  const auto times = static_cast<double>(row.steps_in);
  const double each = amortised * static_cast<double>(run.summary.counted.size()) / times;
  const double whole = static_cast<double>(row.wall_ns_total) / times;
  std::string out = fmt::format(
      "'{}' runs {}once in {:.3g} steps and takes {} then: {} a step ({}) over all steps", row.name,
      time.at_least(), row.every_steps, format_duration(each), format_duration(amortised),
      percent(run.share(amortised)));
  if (time.once == 0 && each < kNearlyAll * whole)
    out += fmt::format("; of its {} the rest waits for a core or for workers that start",
                       format_duration(whole));
  if (time.once > 0)
    out += fmt::format("; {} in all for code that was loaded once comes on top",
                       format_duration(static_cast<double>(time.once)));
  return out;
}

// Returns the loop around the steps whose iterations hold as many of them as lie between two runs of
// the phase: a rollout before its updates, a validation behind an epoch.
const Division* loop_with(const JudgedRun& run, const PhaseRow& row) {
  const auto [section, division] = run.steps.chosen;
  if (section >= run.steps.sections.size() || division != 0) return nullptr;
  for (const Division& loop : run.steps.sections[section].divisions)
    if (loop.steps_each > 1 &&
        std::abs(row.every_steps - loop.steps_each) < kSamePeriod * loop.steps_each)
      return &loop;
  return nullptr;
}

// The condition that a user would write, in this run's numbers.
std::string half_as_often(const JudgedRun& run, const PhaseRow& row, const char* at_least) {
  if (const Division* loop = loop_with(run, row))
    return fmt::format("{} '{}' runs once in each iteration of the loop at {}: in every second one",
                       run.language == Language::cpp ? "//" : "#", row.name, loop->loop);
  const long long steps = std::llround(2 * row.every_steps);
  return run.language == Language::cpp
             ? fmt::format("if (step % {} == 0)   // '{}': now {}once in {:.3g} steps", steps,
                           row.name, at_least, row.every_steps)
             : fmt::format("if step % {} == 0:   # '{}': now {}once in {:.3g} steps", steps,
                           row.name, at_least, row.every_steps);
}

Finding periodic_finding(const JudgedRun& run, const PhaseRow& row, const PeriodicTime& time,
                         const std::vector<bool>& inside) {
  const double amortised = run.wall_per_step(time.price.total());
  Finding out = time.price.finding(amortised);
  out.ceiling_ns_per_step = amortised / 2;
  out.phase = row.name;
  out.count_per_step = 1 / row.every_steps;
  out.title = periodic_title(run, row, time, amortised);
  Fix seldom;
  seldom.kind = FixKind::less_often;
  seldom.every = 2;
  for (PhaseId phase = 0; phase < inside.size(); ++phase)
    if (inside[phase]) seldom.scope.phases.push_back(phase);
  out.fixes = {seldom};
  const bool steps_more = belongs_to_training(run, inside);
  if (steps_more || is_differentiated(run, inside)) {
    out.title += steps_more ? "; its steps step an optimizer more often than the others do"
                            : "; backward passes go through it";
    advise(Advice::periodic_phase_of_training, run.language, out);
  } else {
    advise(Advice::periodic_phase, run.language, out);
    out.code_hint = half_as_often(run, row, time.at_least());
  }
  out.falsified_by = "with the phase left out the mean step does not become shorter by about " +
                     format_duration(amortised);
  out.certainty = run.inflated ? Certainty::inferred : Certainty::trace_verified;
  return out;
}

// Whether steps are long by what the program does in them, and no phase of their own tells what: time
// in which they waited for a core is the machine's.
bool has_unnamed_long_steps(const LongSteps& slow) {
  std::int64_t work = slow.excess_ns_total;
  for (const auto& [cause, ns] : slow.excess_by_cause())
    if (cause == Cause::host_core_wait) work -= ns;
  return slow.matter() && !slow.left_out &&
         static_cast<double>(work) > kLongStepsLeastShare * static_cast<double>(slow.loop_ns_total);
}

std::string unnamed_text(const LongSteps& slow) {
  return fmt::format(
      "{} of the loop's time ('Long steps' names their lines), but no phase of {} own is marked; "
      "mark it with a range (record_function, nvtx) to have it judged",
      slow.steps == 1 ? "one long step holds " + percent(slow.share())
                      : fmt::format("{} long steps hold {}", slow.steps, percent(slow.share())),
      slow.steps == 1 ? "its" : "their");
}

}  // namespace

Judgement judge_periodic_phase(const JudgedRun& run) {
  const Compiling compiling(run);
  const WorkerStarts starts(run);
  Judgement out;
  double most = 0;
  std::string name;
  for (const PhaseRow& row : run.summary.phases) {
    if (row.depth > 0 || row.every_steps < kLeastPeriod || row.calls_total == 0) continue;
    const std::vector<bool> inside = phases_below(run, row.path);
    const PeriodicTime time = periodic_time(run, compiling, starts, inside);
    const double amortised = run.wall_per_step(time.price.total());
    const bool large = run.weight(amortised) >= kPeriodicPhaseLeastShare;
    if (large && amortised / 2 >= run.least_ns(noise_without(run, inside))) {
      out.found.push_back(periodic_finding(run, row, time, inside));
    } else if (amortised > most) {
      most = amortised;
      name = row.name;
    }
  }
  if (!out.found.empty()) return out;
  if (name.empty() && has_unnamed_long_steps(run.summary.long_steps))
    return abstained(unnamed_text(run.summary.long_steps));
  if (name.empty()) return cleared("every phase runs in every step");
  return cleared(fmt::format("'{}' costs {} a step ({}) over all steps", name,
                             format_duration(most), percent(run.share(most))));
}

}  // namespace stepscope::rules
