// SPDX-License-Identifier: Apache-2.0
// launch_bound on a run without a device, at a pass that a step repeats (repeated_pass.hpp).
//
//   fires where   the run's way between operations makes it launch_bound, and its part at the lines of
//                 the pass is >= least. Micro-batches: where that way is a quarter of the step or more,
//                 because larger ones make products no faster
//   caused        what one pass over all would save of the way between the pass's operations, and of
//                 what each takes whatever its size (fixed_ns_of)
//   forecast      this is paid once for all passes in a row, and the rest as before; at best its other
//                 work takes no longer than for one, at worst nothing is saved, because each pass needs
//                 what the one before it made
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/findings/advice/advice.hpp"
#include "core/findings/host_operations.hpp"
#include "core/findings/host_time.hpp"
#include "core/findings/repeated_pass.hpp"
#include "core/findings/rules/rules.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

constexpr double kLittleOfThePass = 0.02;
constexpr double kInNearlyAllSteps = 0.9;

// Whether the segment is the host's in a counted step, at a line of the pass.
bool is_of(const JudgedRun& run, const RepeatedPass& pass, const Segment& s) {
  return pass.share_of(s) > 0 && run.counts(s.time.begin) && is_host(s.cause) &&
         s.cause != Cause::host_core_wait;
}

std::int64_t sum_of(const std::map<RangeId, std::int64_t>& times) {
  std::int64_t out = 0;
  for (const auto& [range, ns] : times) out += ns;
  return out;
}

// Returns, for each cause with more than a little of the time, the share of it that one pass for all
// spends once. An operation that computes takes some time however small its tensors are; the rest grows
// with them.
std::map<Cause, double> shrinking_shares(const JudgedRun& run, const RepeatedPass& pass) {
  std::map<Cause, std::map<RangeId, std::int64_t>> times;
  std::int64_t all = 0;
  for (const Segment& s : run.segments()) {
    if (!is_of(run, pass, s)) continue;
    times[s.cause][s.host_evidence] += s.time.length();
    all += s.time.length();
  }
  std::map<Cause, double> out;
  for (const auto& [cause, by_range] : times) {
    const auto sum = static_cast<double>(sum_of(by_range));
    if (sum <= kLittleOfThePass * static_cast<double>(all)) continue;
    const bool computes = family_of(cause) == CauseFamily::host_compute;
    out[cause] = computes ? static_cast<double>(fixed_ns_of(by_range)) / sum : 1;
  }
  return out;
}

struct PassTime {
  explicit PassTime(const JudgedRun& run) : saved(run), forward(run) {}

  Price saved;
  Price forward;             // its part without the backward pass, which shows where the loop is
  Explained explained;       // what is saved, by segment
  std::int64_t between = 0;  // the way between operations, over the counted steps
};

PassTime time_of(const JudgedRun& run, const RepeatedPass& pass,
                 const std::map<Cause, double>& shrinks) {
  PassTime out(run);
  for (std::size_t i = 0; i < run.segments().size(); ++i) {
    const Segment& s = run.segments()[i];
    const auto shrinking = shrinks.find(s.cause);
    if (shrinking == shrinks.end() || !is_of(run, pass, s)) continue;
    const double part = pass.share_of(s) * static_cast<double>(run.unexplained_ns(i));
    const auto ns = static_cast<std::int64_t>(part * pass.saved_share() * shrinking->second);
    if (is_between_operations(s.cause)) out.between += static_cast<std::int64_t>(part);
    out.saved.add(s, ns);
    if (s.direction != Direction::backward) out.forward.add(s, ns);
    out.explained.emplace_back(i, ns);
  }
  return out;
}

std::vector<Fix> one_pass(const RepeatedPass& pass, const std::map<Cause, double>& causes) {
  std::vector<Fix> out;
  for (const auto& [cause, shrinks] : causes) {
    Fix fix{.kind = FixKind::scale_work,
            .factor = 1 - pass.part * shrinks * pass.saved_share(),
            .factor_low = 1 - pass.part * pass.saved_share(),
            .factor_high = 1};
    fix.scope.sites = pass.sites;
    fix.scope.cause = cause;
    fix.finding = "launch_bound";
    out.push_back(fix);
  }
  return out;
}

std::string in_which_steps(const JudgedRun& run, const RepeatedPass& pass) {
  const auto counted = static_cast<double>(run.summary.counted.size());
  if (pass.share_of_steps > kInNearlyAllSteps) return "a step";
  return fmt::format("in {:.0f} of {:.0f} steps", pass.share_of_steps * counted, counted);
}

std::string title_of(const JudgedRun& run, const RepeatedPass& pass, double between_ns) {
  const std::string operations =
      fmt::format("{} operation{}", pass.operations, pass.operations == 1 ? "" : "s");
  const std::string what =
      pass.loop != kNone
          ? fmt::format("the loop at {} runs {}", run.line_text(pass.loop), operations)
          : fmt::format("the same {} run{}", operations, pass.operations == 1 ? "s" : "");
  return fmt::format(
      "{} times {} {}{}: for {} a step ({}) {} and the framework are on the way from one to "
      "the next; the forecast is of one pass in their place, possible where {}",
      pass.times, in_which_steps(run, pass), what,
      pass.is_micro_batch ? ", each with a backward pass"
      : pass.has_weights  ? " with the same weights"
                          : "",
      format_duration(between_ns), percent(run.share(between_ns)),
      run.language == Language::cpp ? "the program" : "Python",
      pass.is_micro_batch ? "memory allows" : "none needs what another made");
}

void name_nested_loop(const JudgedRun& run, const RepeatedPass& pass, Finding& out) {
  if (pass.nested == kNone) return;
  out.fix += fmt::format(
      ". The loop at {} lies {} it and runs {} times in a row: take the one of the two whose "
      "passes do not "
      "need each other",
      run.line_text(pass.nested), pass.nested_is_inner ? "within" : "around", pass.nested_in_a_row);
}

}  // namespace

Judgement judge_one_pass(const JudgedRun& run, const RepeatedPass& pass) {
  const std::map<Cause, double> shrinks = shrinking_shares(run, pass);
  const PassTime time = time_of(run, pass, shrinks);
  if (run.per_step(time.saved.total()) < run.least_ns()) return {};
  Finding found = time.saved.finding(run.idle_per_step(time.saved.total()));
  const Finding where = time.forward.finding(run.idle_per_step(time.forward.total()));
  found.places = where.places;
  found.evidence = where.evidence;
  found.phase = where.phase;
  found.count_per_step = pass.operations_per_step();
  found.title = title_of(run, pass, run.per_step(time.between));
  found.certainty = Certainty::assumption;
  found.fixes = one_pass(pass, shrinks);
  advise(pass.is_micro_batch ? Advice::launch_bound_of_micro_batches
         : pass.has_weights  ? Advice::launch_bound_of_repeats
                             : Advice::launch_bound_of_a_loop,
         run.language, found);
  name_nested_loop(run, pass, found);
  put_number("{times}", static_cast<std::uint32_t>(pass.times), found.code_hint);
  found.falsified_by = "with all of these passes made as one the step does not become shorter";
  return fired(std::move(found), time.explained);
}

}  // namespace stepscope::rules
